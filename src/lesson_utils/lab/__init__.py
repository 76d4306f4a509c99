"""The lab: learners write ``rope.py``, and a grader tries it for real.

    python -m lesson_utils.lab starter rope.py        # the stubs to fill in
    python -m lesson_utils.lab check rope.py          # one line a stage
    python -m lesson_utils.lab grade FOLDER --csv report.csv

Standard library only, Python 3.9 or newer, and nothing else of ``lesson_utils``: a copy of this
folder works alone (``python lab check rope.py``). What keeps a submission apart from the verdict is
a fence against accidents and cheap tricks, not a security sandbox.
"""
