'use strict';
// The functions of libatmost, and the few of the C library that the binding needs.
const path = require('node:path');
const koffi = require('koffi');

const NEEDED_VERSION = 5; // ATMOST_API_VERSION of the header that this file was written from
const LIBRARY = 'libatmost.so.1';
const RTLD_NOW = 2;

const pointer = koffi.pointer('void');
const written = koffi.out(koffi.pointer(pointer));

// Both structs as atmost.h has them. `on_lost` and `context` are addresses here.
const options = koffi.struct({
  size: 'size_t', max: 'unsigned int', take: 'unsigned int', wait: 'double', if_elapsed: 'double',
  expire_after: 'double', kill_grace: 'double', now: 'double', directory: 'str', id: 'str',
  mode: 'unsigned int', may_be_killed: 'int', on_lost: 'uintptr_t', context: 'uintptr_t',
  log: 'str', no_history: 'int', interruptible: 'int', wait_mask: pointer, sharing: 'int',
  on_busy: 'int', elapsed_from: 'int', wait_too_soon: 'int', max_hold: 'double',
  also: koffi.pointer('str'), trust_fs: 'int', no_learn: 'int', rate: 'str',
  queue_max: 'int', store: 'str',
});
const entry = koffi.struct({
  size: 'size_t', state: 'str', slot: 'unsigned int', position: 'unsigned int',
  max: 'unsigned int', pid: 'int64_t', kept_for: 'int64_t', user: 'int64_t', token: 'uint64_t',
  start: 'double', age: 'double', expires: 'double', id: 'str', command: 'str', verified: 'int',
});

function load() {
  try {
    return koffi.load(LIBRARY);
  } catch (error) {
    throw new Error(`atmost: ${LIBRARY} cannot be loaded: ${error.message}`, { cause: error });
  }
}

const libc = koffi.load(null);
const lib = load();
// When a Worker ends, koffi closes the library, whose threads may still run; and Node closes koffi,
// whose descriptors may still be polled. A second handle, which nobody closes, keeps each loaded.
const dlopen = libc.func('dlopen', pointer, ['str', 'int']);
dlopen(LIBRARY, RTLD_NOW);
for (const file of Object.keys(require.cache)) {
  if (path.basename(file) === 'koffi.node') dlopen(file, RTLD_NOW);
}
const version = lib.func('atmost_api_version', 'int', [])();
if (version < NEEDED_VERSION) {
  throw new Error(`atmost: ${LIBRARY} has API version ${version}; ${NEEDED_VERSION} is needed`);
}

const given = koffi.pointer(options);
const each = koffi.pointer(koffi.proto('int', [pointer, koffi.pointer(entry)]));

module.exports = {
  OPTIONS_SIZE: koffi.sizeof(options),
  layouts: { atmost_options: options, atmost_entry: entry },
  // (name, options, out), the name in one part or, for an atom, three.
  get: lib.func('atmost_get', 'int', ['str', given, written]),
  getAtom: lib.func('atmost_get_atom', 'int', ['str', 'str', 'str', given, written]),
  begin: lib.func('atmost_begin', 'int', ['str', given, written]),
  beginAtom: lib.func('atmost_begin_atom', 'int', ['str', 'str', 'str', given, written]),
  answered: lib.func('atmost_answered', 'int', [pointer]),
  descriptor: lib.func('atmost_descriptor', 'int', [pointer]),
  cancel: lib.func('atmost_cancel', 'void', [pointer]),
  finish: lib.func('atmost_finish', 'int', [pointer, written]),
  release: lib.func('atmost_release', 'void', [pointer, 'int']),
  token: lib.func('atmost_token', 'uint64_t', [pointer]),
  slot: lib.func('atmost_slot', 'unsigned int', [pointer]),
  held: lib.func('atmost_held', 'int', [pointer]),
  mayBeKilled: lib.func('atmost_may_be_killed', 'int', ['int']),
  list: lib.func('atmost_list', 'int', ['str', given, each, pointer]),
  check: lib.func('atmost_check', 'int', ['str', given, koffi.out(koffi.pointer('unsigned int'))]),
  message: lib.func('atmost_message', 'str', []),
  retryIn: lib.func('atmost_retry_in', 'double', []),
  why: lib.func('atmost_why', 'str', []),
  decodeEntry: (address) => koffi.decode(address, entry),
  poll: koffi.node.poll,
  pipe2: libc.func('pipe2', 'int', [koffi.out(koffi.pointer('int')), 'int']),
  errno: koffi.errno,
  // eventfd_write(fd, value) writes the eight bytes of `value` to a descriptor.
  writeEight: libc.symbol('eventfd_write'),
};
