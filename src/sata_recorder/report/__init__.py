"""Measurements for people: tables, pictures and pages."""
