"""The formats of English, the only language of the admin."""
