"""Cell by cell with few and late mismatches: the construction `backtracking`.

    operator   Backtracking: six options, beams first if hints lie late, then a search in slices
    plan       Plan: the parameters of a search, by the size of the board
    search     Search: takes tasks from a source, walks them, keeps full boards, reports each outcome to the source
    tasks      Task, Outcome, Source
    sources    Adaptive (quotas as strict as starts can meet), Sampled (chosen by samples), BySize (perfect boards)
    walks      SlipWalk (one board at a time), LayerWalk (many at once), StagedWalk (one at a time, then many)
    quotas     colours to spend first, and how soon
    allowances mismatches allowed by depth

Walks call kernels (`slip_kernels`, `narrow_kernels`, `wide_kernels`) with the tables of the same name; `perfect_search`
counts all perfect boards of small puzzles.
"""

__all__: list[str] = []
