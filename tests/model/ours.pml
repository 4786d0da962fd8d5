/* Ours among ours: src/store/symlink/seat.cc. The process that has the seat is inside; the link behind the seat is in mixed.pml.
 *
 * Each runner comes once, and may be killed before any of its steps. A seat with a time of its own
 * expires at any moment: from then on it is anybody's, while its runner goes on. Seats, and so
 * rights to remove one, are numbers that never come again.
 *
 *   fresh: nobody removes a seat but the one he judged, nor the holder any but his own
 *   alone: of the runners inside, at most one is neither dead nor expired
 *
 * With -DUNCHECKED who has the right does not look again, with -DFORGETFUL he drops the right
 * before he removes the seat, with -DHASTY a holder whose time may be over leaves without the right
 * to: spin has to find a violation then, or the model would prove nothing.
 */
#ifndef RUNNERS
#define RUNNERS 3
#endif
#ifndef KILLS
#define KILLS 2
#endif
#ifndef EXPIRIES
#define EXPIRIES 2
#endif
#define RIGHTS 3

byte seat = 0;                          /* the link NAME.atmost; 0: none */
byte last = 0;                          /* the last seat made: seats are numbered from 1 */
byte maker[RUNNERS + 1];                /* by seat: its runner, numbered from 1 */
bool timeless[RUNNERS + 1];             /* by seat: made without a time of its own */
bool expired[RUNNERS + 1];              /* by seat */
bool gone[RUNNERS + 1];                 /* by runner: killed, or ended */
byte inside[RUNNERS + 1];               /* by runner: the seat it is inside with */
byte right[(RUNNERS + 1) * RIGHTS];     /* NAME.atmost.HASH.K: who made it; 0: it is not there */

#define over(s) (gone[maker[s]] || expired[s])
#define counts(r) (inside[r] != 0 && !gone[r] && !expired[inside[r]])
#define RIGHT(s, k) right[(s) * RIGHTS + (k)]

/* Asks for the right to remove seat `old`: `k` is which one is held then; RIGHTS: none. */
inline claim(old, k) {
  k = 0;
  do
  :: k == RIGHTS -> break
  :: k < RIGHTS ->
     if
     :: atomic { RIGHT(old, k) == 0 -> RIGHT(old, k) = me };
#ifndef UNCHECKED
        if
        :: seat == old
        :: seat != old -> RIGHT(old, k) = 0; k = RIGHTS
        fi;
#endif
        break
     :: atomic { RIGHT(old, k) != 0 -> other = RIGHT(old, k) };
        if
        :: gone[other] -> k++
        :: else -> k = RIGHTS
        fi
     fi
  od;
  other = 0
}

inline remove(old) {
  atomic {
    assert(seat == 0 || seat == old);  /* fresh */
    seat = 0
  }
}

/* leave_seat(): looks, then removes. */
inline leave() {
  if
  :: seat == mine -> remove(mine)
  :: seat != mine
  fi
}

inline enter() {
  atomic {
    inside[me] = mine;
    who = 1;
    do
    :: who > RUNNERS -> break
    :: else -> assert(who == me || !counts(me) || !counts(who)); who++  /* alone */
    od;
    who = 0
  }
}

active [RUNNERS] proctype runner() {
  byte me, mine, seen, other, k, who;
  me = _pid + 1;
  {
    do
    :: atomic { seat == 0 ->
         last++; mine = last; seat = mine; maker[mine] = me;
         if
         :: timeless[mine] = true
         :: skip
         fi;
         break }
    :: atomic { seat != 0 && over(seat) -> seen = seat };  /* one that is not over is waited for */
       claim(seen, k);
       if
       :: k == RIGHTS
       :: else ->
#ifdef FORGETFUL
          RIGHT(seen, k) = 0;
#endif
          remove(seen);
#ifndef FORGETFUL
          RIGHT(seen, k) = 0
#endif
       fi;
       k = 0; seen = 0
    od;
    enter();
    inside[me] = 0;
    if
#ifdef HASTY
    :: leave()
#endif
    :: timeless[mine] -> leave()
    :: !timeless[mine] ->
       claim(mine, k);
       if
       :: k == RIGHTS
       :: else -> remove(mine); RIGHT(mine, k) = 0
       fi
    :: skip  /* it became its command, which ends and releases nothing */
    fi
  } unless { gone[me] };
  atomic { gone[me] = true; mine = 0; seen = 0; other = 0; k = 0; who = 0 }
}

active proctype fate() {
  byte kills, expiries, who;
  do
  :: kills < KILLS -> atomic {
       select(who : 1 .. RUNNERS);
       !gone[who];
       gone[who] = true; who = 0; kills++ }
  :: expiries < EXPIRIES -> atomic {
       select(who : 1 .. RUNNERS);
       who <= last && !timeless[who] && !expired[who] && seat == who;
       expired[who] = true; who = 0; expiries++ }
  od
}
