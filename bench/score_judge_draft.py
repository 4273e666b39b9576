import sys,time; sys.path.insert(0,'/tmp/wt/five/python')
import numpy as np
from pathlib import Path
from everylink.analysis.judge.readings import Readings, readings
from everylink.analysis.judge.findings import find, SETTLED_READINGS
from everylink.simulate.fabric import *; from everylink.simulate.faults import Fault
from everylink.simulate.results import measured
from dataclasses import replace
from everylink.results import Size

def confirm(F, res, size, group, rounds=8, good_partners=8):
    rng=np.random.default_rng(5)
    for k in range(1,rounds+1):
        R=readings(res,res.sizes[0]); fd=find(R,group)
        pairs=fd.suspect_pairs
        if k>3 and not len(pairs): break
        links=set()
        for a,b in pairs[:20000]:
            links.add((int(a),int(b)));
            if R.symmetric: links.add((int(b),int(a)))
        if k<=3:
            sus=set(fd.suspect_hosts.tolist()); good=[h for h in range(R.hosts) if h not in sus] or list(range(R.hosts))
            for h in sus:
                for j in rng.choice(good,min(good_partners,len(good)),replace=False):
                    if j!=h: links|={(h,int(j)),(int(j),h)}
        if not links: break
        fr,to=np.array(sorted(links)).T
        # every host link: measured by ranks 0..R-1 pairing (one rank each here)
        rows=F.measure(fr*F.ranks_per_host,to*F.ranks_per_host,size,3,k)
        res=replace(res,sizes=(Size(size,1,F.ranks,joined([res.sizes[0].rows,rows])),))
    return find(readings(res,res.sizes[0]),group), len(res.sizes[0].rows.frm)

def trial(seed, labels=True, healthy=False):
    rng=np.random.default_rng([seed,99])
    H=int(2**rng.uniform(4,10)); noise=rng.uniform(.01,.05); tr=rng.uniform(0,.02); R=int(rng.choice([1,1,1,2,4])) if H<=128 else 1
    gs=-(-H//int(rng.integers(1,17))); G=-(-H//gs)
    faults=[]; used=set()
    for _ in range(0 if healthy else rng.integers(0,9)):
        k=rng.choice(["slow-host","slow-link","slow-group"],p=[.5,.35,.15]); f=1-rng.uniform(.1,.5)
        if k=="slow-host":
            h=int(rng.integers(H)); 
            if h in used or len(used)>=H//4: continue
            used.add(h); faults.append(Fault(k,(f"n{h}",),f))
        if k=="slow-link":
            i,j=rng.choice(H,2,replace=False); faults.append(Fault(k,(f"n{i}",f"n{j}"),f))
        if k=="slow-group" and G>=4 and gs>=4 and (H%gs==0 or H%gs>=4) and not any(x.kind==k for x in faults): faults.append(Fault(k,(f"g{rng.integers(G)}",),f))
    sym=bool(rng.random()<.7)
    F=Fabric(H,R,gs,noise,tr,tuple(faults),seed=seed,both_directions=sym)
    mode=rng.choice(["all","all","sample","missing"])
    frm,to=all_links(F.ranks) if mode!="sample" else sampled_links(F.ranks,3,seed)
    if mode=="missing":
        keep=rng.random(len(frm))>.05; frm,to=frm[keep],to[keep]
    res=measured(F,(frm,to),[1<<20],Path('/tmp/x'),'')
    group=F.group_of(np.arange(H)*R) if labels else np.zeros(H,int)
    t=time.time(); fd,rows=confirm(F,res,1<<20,group); t=time.time()-t
    th={int(f.subject[0][1:]) for f in faults if f.kind=="slow-host"}
    gh={f.subject[0] for f in fd.bad if f.kind.startswith("host")}
    tg={int(f.subject[0][1:]) for f in faults if f.kind=="slow-group"}
    gg={f.subject[0] for f in fd.bad if f.kind=="group"}
    # links: truth only where visible: not under a slower host, factor seen
    F0=Fabric(H,R,gs,noise,tr,tuple(f for f in faults if f.kind!="slow-link"),seed=seed,both_directions=sym)
    tl={}
    for f in faults:
        if f.kind!="slow-link": continue
        a,b=(int(s[1:]) for s in f.subject)
        x=float(np.log(F.true_times(np.array([a*R]),np.array([b*R]),1<<20)/F0.true_times(np.array([a*R]),np.array([b*R]),1<<20))[0])
        key=(min(a,b),max(a,b)) if sym else (a,b)
        has=((F.host_of(frm)==a)&(F.host_of(to)==b)).any() or (sym and ((F.host_of(frm)==b)&(F.host_of(to)==a)).any())
        tl[key]=(max(x,tl.get(key,(0,))[0]),bool(has))
    gl={f.subject for f in fd.bad if f.kind in("pair","link")}
    must={k for k,(x,has) in tl.items() if has and x>=6*noise}
    return dict(seed=seed,H=H,R=R,G=G,noise=noise,tr=tr,mode=str(mode),sym=sym,th=th,gh=gh,tg=tg,gg=gg,tl=tl,gl=gl,must=must,t=t,rows=rows/len(frm),faults=faults,fd=fd)

if __name__=='__main__':
    a,b=int(sys.argv[1]),int(sys.argv[2]); healthy=len(sys.argv)>3 and 'h' in sys.argv[3]; labels=not(len(sys.argv)>3 and 'n' in sys.argv[3])
    S=dict(htp=0,hfp=0,hfn=0,gtp=0,gfp=0,gfn=0,ltp=0,lfp=0,lfn=0,any=0); T=0
    import warnings; warnings.simplefilter("ignore")
    for seed in range(a,b):
        d=trial(seed,labels,healthy)
        S['htp']+=len(d['th']&d['gh']); S['hfp']+=len(d['gh']-d['th']); S['hfn']+=len(d['th']-d['gh'])
        S['gtp']+=len(d['tg']&d['gg']); S['gfp']+=len(d['gg']-d['tg']); S['gfn']+=len(d['tg']-d['gg'])
        S['ltp']+=len(d['must']&d['gl']); S['lfp']+=len(d['gl']-set(d['tl'])); S['lfn']+=len(d['must']-d['gl'])
        S['any']+=bool(d['gh']or d['gg'] or d['gl']); T+=d['t']
        if (d['gh']!=d['th'] or d['gg']!=d['tg'] or d['gl']-set(d['tl']) or d['must']-d['gl']):
            print(seed,{k:d[k] for k in('H','R','G','mode','sym')},f"noise {d['noise']:.3f} tr {d['tr']:.3f}",'host+',d['gh']-d['th'],'host-',[(str(f)) for f in d['faults'] if f.kind=='slow-host' and int(f.subject[0][1:]) in d['th']-d['gh']],'grp',d['gg'],d['tg'],'link+',[(f.subject,round(f.effect,2)) for f in d['fd'].bad if f.kind in('pair','link') and f.subject not in d['tl']][:5],'link-',[(k,round(d['tl'][k][0],2)) for k in d['must']-d['gl']],f"{d['t']:.1f}s rows x{d['rows']:.2f}")
    print(S,f"{T/(b-a):.2f} s each")
