import sys
from sk import *
import numpy as np
from matheur.problems.sokoban.formats import write_level
from dataclasses import replace
D='/work/shared/data/state_space/sokoban_collections/XSokoban_90.xsb'
L=levels(D)
for i in map(int,sys.argv[2:]):
    one=L[i-1]
    s=FeatureSearch(one); s.run(Budget(seconds=float(sys.argv[1])))
    fl=s._level.floor; plan=s.plan
    keys=s._tables[1]; lev=s._level
    res=[]
    below=np.uint64((1<<lev.player_shift)-1)
    for n in range(int(s._numbers[0])):
        k=keys[n].copy(); pl=int(k[-1]>>np.uint64(lev.player_shift)); k[-1]&=below
        b=lev.decoded(k)
        p=0
        while p<len(plan.goals) and int(plan.goals[p]) in b: p+=1
        res.append((p,n,pl,b))
    res.sort(key=lambda r:-r[0])
    for p,n,pl,b in res[:3]+res[20:21]:
        print('packed',p,'node',n)
        print(write_level(replace(one,boxes=tuple(fl.cells[x] for x in b),player=fl.cells[pl])))
