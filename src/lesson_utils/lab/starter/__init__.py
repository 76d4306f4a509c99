"""The stubs that learners start from: ``rope.py`` beside this file."""
