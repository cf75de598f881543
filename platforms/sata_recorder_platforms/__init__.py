"""Where the core is built for: boards, and a synthetic target that only measures."""
