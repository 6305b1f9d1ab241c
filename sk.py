import sys,time
from matheur.problems.sokoban.formats import read_levels
from matheur.problems.source import Source
from matheur.statespace.sokoban.feature_search import *
from matheur.statespace.sokoban.feature_search import FeatureSearch
from matheur.engine.budget import Budget
def levels(p): return read_levels(Source(p,open(p,'rb').read()))
if __name__=="__main__":
    path,lim=sys.argv[1],float(sys.argv[2])
    L=levels(path)
    sel=eval(sys.argv[3]) if len(sys.argv)>3 else range(1,len(L)+1)
    ok=0
    for i in sel:
        t=time.time(); s=FeatureSearch(L[i-1]); t1=time.time()-t
        st=s.run(Budget(seconds=lim))
        ok+= st==FOUND
        print(i,len(L[i-1].boxes),'state',st,'plan %.2f'%t1,'sec %.1f'%(time.time()-t),'nodes',s._numbers[NODES],'gen',s._numbers[GENERATED],'active',s._numbers[4],flush=True)
    print('solved',ok,'of',len(sel))
