class Error(Exception):
    """What the command line refuses to do or could not do.

    code: such as "SP0201", as docs/ERRORS.md lists them; None where an option's value is at fault.
    where: the file and the step or field; None where there is none.
    what: what is wrong and what to do about it.
    result: what the command line printed all the same (of several files, the verdicts of the others), or None.
    """

    __module__ = "sinkproof"

    def __init__(self, code, where, what, result=None):
        super().__init__(code, where, what, result)
        self.code, self.where, self.what, self.result = self.args

    def __str__(self):
        return " ".join(word for word in (self.code, self.where and f"{self.where}:", self.what) if word)
