'use strict';
// The functions of libatmost, and the few of the C library that the binding needs.
const fs = require('node:fs');
const path = require('node:path');
const koffi = require('koffi');

const NEEDED_VERSION = 1; // ATMOST_API_VERSION of the header that this file was written from
const LIBRARY = 'libatmost.so.1';
const RTLD_NOW = 2;

const pointer = koffi.pointer('void');
const written = koffi.out(koffi.pointer(pointer));

// The struct of atmost.h.
const entry = koffi.struct({
  size: 'size_t', state: 'str', slot: 'unsigned int', position: 'unsigned int',
  max: 'unsigned int', pid: 'int64_t', kept_for: 'int64_t', user: 'int64_t', token: 'uint64_t',
  start: 'double', age: 'double', expires: 'double', id: 'str', command: 'str', verified: 'int',
});

// The library of the platform's package, which npm installed with this one; or that in the prefix
// that this package is installed in (npm install --global); else LIBRARY, which the dynamic linker
// looks for.
function place() {
  for (const libc of ['', '-musl']) {
    try {
      return require.resolve(`@atmost/linux-${process.arch}${libc}/lib/${LIBRARY}`);
    } catch {
      // npm installs the one that fits, and none with a package that was made by hand.
    }
  }
  const modules = path.resolve(__dirname, '../..');
  if (!modules.endsWith('/lib/node_modules')) return LIBRARY;
  const beside = ['lib', 'lib64'].map((lib) => path.join(modules, '../..', lib, LIBRARY));
  return beside.find((file) => fs.existsSync(file)) ?? LIBRARY;
}

function load(file) {
  try {
    return koffi.load(file);
  } catch (error) {
    throw new Error(`atmost: ${LIBRARY} cannot be loaded (${error.message}): is it installed? `
      + 'Then run ldconfig as root, or name its folder in LD_LIBRARY_PATH', { cause: error });
  }
}

const libc = koffi.load(null);
const file = place();
const lib = load(file);
// When a Worker ends, koffi closes the library, whose threads may still run; and Node closes koffi,
// whose descriptors may still be polled. A second handle, which is never closed, keeps each loaded.
const dlopen = libc.func('dlopen', pointer, ['str', 'int']);
dlopen(file, RTLD_NOW);
for (const loaded of Object.keys(require.cache)) {
  if (path.basename(loaded) === 'koffi.node') dlopen(loaded, RTLD_NOW);
}
const version = lib.func('atmost_api_version', 'int', [])();
if (version < NEEDED_VERSION) {
  throw new Error(`atmost: ${LIBRARY} has API version ${version}; ${NEEDED_VERSION} is needed`);
}

const each = koffi.pointer(koffi.proto('int', [pointer, koffi.pointer(entry)]));

module.exports = {
  layouts: { atmost_entry: entry },
  create: lib.func('atmost_new', pointer, ['str']),
  createAtom: lib.func('atmost_new_atom', pointer, ['str', 'str']),
  free: lib.func('atmost_free', 'void', [pointer]),
  set: lib.func('atmost_set', 'int', [pointer, 'str', 'str']),
  setSeconds: lib.func('atmost_set_seconds', 'int', [pointer, 'str', 'double']),
  setNumber: lib.func('atmost_set_number', 'int', [pointer, 'str', 'int64_t']),
  // Both are addresses here.
  setOnLost: lib.func('atmost_set_on_lost', 'int', [pointer, 'uintptr_t', 'uintptr_t']),
  waits: lib.func('atmost_waits', 'int', [pointer]),
  get: lib.func('atmost_get', 'int', [pointer, written]),
  begin: lib.func('atmost_begin', 'int', [pointer, written]),
  answered: lib.func('atmost_answered', 'int', [pointer]),
  descriptor: lib.func('atmost_descriptor', 'int', [pointer]),
  cancel: lib.func('atmost_cancel', 'void', [pointer]),
  finish: lib.func('atmost_finish', 'int', [pointer, written]),
  release: lib.func('atmost_release', 'void', [pointer, 'int']),
  token: lib.func('atmost_token', 'uint64_t', [pointer]),
  slot: lib.func('atmost_slot', 'unsigned int', [pointer]),
  held: lib.func('atmost_held', 'int', [pointer]),
  mayBeKilled: lib.func('atmost_may_be_killed', 'int', ['int']),
  list: lib.func('atmost_list', 'int', [pointer, each, pointer]),
  check: lib.func('atmost_check', 'int', [pointer, koffi.out(koffi.pointer('unsigned int'))]),
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
