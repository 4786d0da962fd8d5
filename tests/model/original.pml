/* The procedure of the shell function lock_unlock, as its description tells it. Three scripts and one link.
 *
 * A link is a number that never comes again (an inode that is never reused, which favours the procedure). Link 1 was
 * left by a script that was killed. The rest never die and never expire, so every link but 1 is fresh while its maker
 * is inside. spin has to find the assertion violated: between the look that matches the inode and the move of the
 * name, the name may have come to mean another link.
 */
#define SCRIPTS 3

byte name = 1;   /* the link under NAME; 0: none */
byte last = 1;   /* the last link made */
byte inside = 0;

active [SCRIPTS] proctype script() {
  byte mine, seen;
  do
  :: atomic { name == 0 -> last++; mine = last; name = mine }   /* ln -s */
     break
  :: seen = name;                                               /* ls -il, then ps */
     if
     :: seen == 1 ->
        if
        :: name == seen ->                                      /* find NAME -inum INODE */
           name = 0                                             /* -exec mv NAME: whatever it is by now */
        :: else
        fi
     :: else
     fi
  od;
  inside++;
  assert(inside == 1);
  inside--;
  name = 0    /* trap "rm -f NAME" EXIT */
}
