"""Facts of the standards and of this project's words: numbers and names, no hardware."""
