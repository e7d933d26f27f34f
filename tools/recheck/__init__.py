"""The second certificate checker of sinkproof: plain Python 3.11, no packages, no shared code.

Written from the pages FORMAT.md, CHECKPOINT_RULES.md, LANGUAGE_RULES.md and VECTOR_RULES.md of src/checker/certificate
alone, so that a mistake in `sinkproof-check` and one here would have to coincide to go unnoticed. Each module names the
page and the sections it follows; a module imports only modules that do not import it, directly or not. Where a page
leaves a choice, the strict reading is taken. All arithmetic is exact (int and Fraction); `exp` is enclosed as section
4.4 defines it. Language models are evaluated where they are small; of larger ones the verdict is unknown.

Runs from anywhere: `python3 tools/recheck FILE...`, `python3 -m recheck FILE...` beside the folder, or as one file that
`python3 -m zipapp tools/recheck` makes.

Exit codes: 0 accepted; 2 usage, model or claim folder missing, file unreadable, standard output not writable;
3 not fully verified, or a limit of time or memory reached;
4 certificate rejected; 5 internal error or contradiction. Several files: the first of 5, 4, 2, 3, 0.
"""
