"""What the chapters of *From Integers to Rotations* share, one small module an idea.

    positions   sinusoidal encodings, and the matrix that shifts them
    attention   softmax and attention weights
    rotary      rotary encoding of numpy arrays and torch tensors
    scores      additive and rotary scores of one query and one key
    claims      sentences with a number in them, checked when the chapter runs

This file imports nothing, so that the lab runs where only Python is installed. Ask for a module
by its name:

>>> from lesson_utils.positions import sinusoidal
"""

__version__ = "0.1.0"
