/* One link, NAME, where ours (src/store/symlink/link.cc) meet scripts with the original's procedure.
 *
 * Ours take the seat first (ours.pml), a plain lock here, so only one of them at a time deals with NAME. A link is a
 * number; link 1 was left behind by a script that was killed, every other maker lives, and none expires.
 *
 *   apart:  never are two of ours inside
 *   alone:  nobody is inside beside somebody else
 *
 * alone holds with -DNOTHING_STALE (no link is left behind), with -DORIGINALS=0, and with -DATOMIC, an original whose
 * find and mv are one step: so ours never remove a fresh lock. With -DATOMIC -DNAIVE (ours remove a stale link by its
 * name) spin has to find a violation, and as the original is, too: it may move any link away, ours included.
 * -DONLY_APART: apart holds even then.
 */
#ifndef OURS
#define OURS 2
#endif
#ifndef ORIGINALS
#define ORIGINALS 2
#endif

#ifdef NOTHING_STALE
byte name = 0;    /* the link under NAME; 0: none */
#else
byte name = 1;
#endif
byte last = 1;    /* the last link made */
bool seat = false;
byte ours_inside = 0;
byte theirs_inside = 0;

#ifdef ONLY_APART
#define ALONE true
#else
#define ALONE (ours_inside + theirs_inside == 1)
#endif

active [OURS] proctype ours() {
  byte mine, spare;
  atomic { last++; mine = last };
again:
  atomic { !seat -> seat = true };
  do
  :: atomic { name == 0 -> name = mine; break }
  :: atomic { name > 1 -> seat = false; goto again }               /* it counts: later again */
  :: name == 1 ->
#ifdef NAIVE
     name = 0
#else
     if
     :: atomic { name != 0 -> spare = name; name = mine };         /* the two change places */
        if
        :: spare == 1 -> spare = 0; break
        :: spare != 1 ->                                           /* not the one that was judged: back again */
           if
           :: atomic { name != 0 -> name = spare; spare = 0 }
           :: atomic { name == 0 -> name = spare; spare = 0 }
           fi
        fi
     :: name == 0
     fi
#endif
  od;
  atomic { ours_inside++; assert(ours_inside == 1 /* apart */ && ALONE) };
  ours_inside--;
  if
  :: name == mine ->
     atomic { spare = name; name = 0 };                            /* moved away, then looked at */
     if
     :: atomic { spare != mine && name == 0 -> name = spare }
     :: else
     fi
  :: name != mine
  fi;
  seat = false
}

#if ORIGINALS > 0
active [ORIGINALS] proctype original() {
  byte mine;
  do
  :: atomic { name == 0 -> last++; mine = last; name = mine; break }
  :: name == 1 ->                                                  /* ls -il, ps */
#ifdef ATOMIC
     atomic { if :: name == 1 -> name = 0 :: else -> skip fi }
#else
     if
     :: name == 1 -> name = 0                                      /* find NAME -inum INODE, then mv NAME */
     :: name != 1
     fi
#endif
  od;
  atomic { theirs_inside++; assert(ALONE) };
  theirs_inside--;
  name = 0                                                         /* trap 'rm -f NAME' EXIT */
}
#endif
