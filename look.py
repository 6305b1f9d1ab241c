import sys
from sk import *
from matheur.problems.sokoban.formats import write_level
D='/work/shared/data/state_space/sokoban_collections/XSokoban_90.xsb'
L=levels(D)
for i in map(int,sys.argv[2:]):
    one=L[i-1]
    s=FeatureSearch(one); s.run(Budget(seconds=float(sys.argv[1])))
    plan=s.plan; fl=s._level.floor
    import string
    names=string.ascii_letters
    rows=[list(r) for r in write_level(one).split('\n')]
    for k,g in enumerate(plan.goals):
        c=fl.cells[g]; rows[c//one.columns][c%one.columns]=names[k]
    print('\n'.join(''.join(r) for r in rows))
    act=s._tables[-1][:s._numbers[4]] if 0 else None
    light=s._tables[-2]; heads=s._tables[-3]
    import numpy as np
    cells=np.flatnonzero((heads>=0).any(axis=1)|(light<512))
    packed=cells//(24*8)
    print(i,'state',s._state,'nodes',s._numbers[0],'packed values',np.unique(packed,return_counts=True))
    best=packed.max()
    # deepest node state
    keys=s._tables[1]
    from matheur.statespace.sokoban.feature_kernels import _packed
    bp=-1
    for n in range(int(s._numbers[0])-1, max(-1,int(s._numbers[0])-3000),-1):
        pass
