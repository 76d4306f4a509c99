"""rope.py: rotary position encoding, built one stage at a time.

Fill in a function, then see whether it holds:

    python -m lesson_utils.lab check rope.py --stage 1

The standard library is all you need. Where a function returns several numbers, a list and a tuple
are equally good; the numbers are plain ints and floats. No function may change the lists it is
given. d, the number of coordinates, is even and at least 2; a position is a whole number and may be
negative; angles are in radians.

A later stage may call the functions of earlier ones, so mend the first stage that fails first. To
try a function or an example (the lines after >>>), start Python in the folder of this file and type

    import math
    from rope import *
"""

import math


# Stage 1 ------------------------------------------------------------------------------------
def pair_speeds(d, base=10000.0):
    """How fast each pair of coordinates turns: d/2 floats, in radians a position.

    Pair i, counted from 0, has the speed base ** (-2i/d).

    >>> [round(speed, 12) for speed in pair_speeds(4)]
    [1.0, 0.01]
    """
    raise NotImplementedError("stage 1")


# Stage 2 ------------------------------------------------------------------------------------
def rotate_pair(x0, x1, angle):
    """The point (x0, x1) turned anticlockwise about the origin: two floats.

    >>> [round(x, 12) for x in rotate_pair(1.0, 0.0, math.pi / 2)]
    [0.0, 1.0]
    """
    raise NotImplementedError("stage 2")


# Stage 3 ------------------------------------------------------------------------------------
def rotate(vec, pos, base=10000.0):
    """The vector at position pos: a new list in which each pair of neighbours has turned.

    Pair i is (vec[2i], vec[2i + 1]); it turns by pos times its speed.

    >>> [round(x, 6) for x in rotate([1.0, 2.0, 3.0, 4.0], 3)]
    [-1.272233, -1.838865, 2.878668, 4.088187]
    """
    raise NotImplementedError("stage 3")


# Stage 4 ------------------------------------------------------------------------------------
def rotary_score(q, k, m, n, base=10000.0):
    """The dot product of q rotated to position m and k rotated to position n: one float.

    >>> round(rotary_score([1.0, 0.0], [1.0, 0.0], 5, 3), 6)
    -0.416147
    """
    raise NotImplementedError("stage 4")


# Stage 5 ------------------------------------------------------------------------------------
def position_vector(pos, d, base=10000.0):
    """The sinusoidal encoding of a position: d floats, sine and cosine alternately.

    Number 2i is sin(pos * speed of pair i), number 2i + 1 is cos(pos * speed of pair i).

    >>> list(position_vector(0, 4))
    [0.0, 1.0, 0.0, 1.0]
    """
    raise NotImplementedError("stage 5")


def additive_score(q, k, m, n, base=10000.0):
    """(q + P_m) . (k + P_n), where P_m and P_n are position vectors: one float.

    >>> additive_score([1.0, 2.0], [3.0, 4.0], 0, 0)
    18.0
    """
    raise NotImplementedError("stage 5")


# Stage 6 ------------------------------------------------------------------------------------
def drift(score, q, k, gap=2, starts=(3, 10, 100, 4000)):
    """How much a score wanders when query and key move together: the scores, and their spread.

    For each start the query stands at start and the key at start + gap: score(q, k, start, start
    + gap). The gap may be negative. The spread is the largest score less the smallest. Return both:
    (scores, spread).

    >>> scores, spread = drift(lambda q, k, m, n: m + n, [1.0], [1.0], gap=1, starts=(0, 5, 2))
    >>> list(scores), spread
    ([1, 11, 5], 10)
    """
    raise NotImplementedError("stage 6")


# Stage 7 ------------------------------------------------------------------------------------
def turns(gap, d, base=10000.0):
    """How many turns each pair makes over a gap of 0 or more: d/2 floats.

    A pair that moves by gap * speed radians has made that many radians / (2 pi) turns.

    >>> [round(x, 4) for x in turns(10, 4)]
    [1.5915, 0.0159]
    """
    raise NotImplementedError("stage 7")


# Stage 8 ------------------------------------------------------------------------------------
def first_turn_pairs(gap, d, base=10000.0):
    """How many pairs have not completed one turn over a gap of 0 or more: a whole number.

    >>> first_turn_pairs(100, 64)
    22
    """
    raise NotImplementedError("stage 8")
