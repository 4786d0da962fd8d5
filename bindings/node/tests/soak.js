'use strict';
// Takes of one lock by processes that are killed all the while.
//
// Each worker that is in also takes a POSIX record lock of another file, which atmost does not use:
// if that fails, two were in at once. When a process is killed, the kernel frees this lock before
// atmost's, which ends with its file: files are freed after all of them were closed, the last one
// first, so that flock(2) would be freed too late. Bytes through a pipe count the takes, as killed
// workers cannot report them.
const assert = require('node:assert/strict');
const { spawn } = require('node:child_process');
const { once } = require('node:events');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { setTimeout: sleep } = require('node:timers/promises');
const koffi = require('koffi');
const atmost = require('atmost');
const outside = require('./outside');

const TAKES = 10_000;
const KILLS = 300;
const WORKERS = 4;

async function work(folder, waits) {
  const lockf = koffi.load(null).func('int lockf(int fd, int cmd, long len)');
  const [F_ULOCK, F_TLOCK] = [0, 2];
  const { O_CREAT, O_RDWR } = fs.constants;
  const witness = fs.openSync(path.join(folder, 'witness'), O_RDWR | O_CREAT);
  const options = { dir: folder };
  for (;;) {
    try {
      const held = waits ? await atmost.acquire('a', { ...options, wait: Infinity })
        : atmost.acquireSync('a', options);
      const alone = lockf(witness, F_TLOCK, 0) === 0;
      fs.writeSync(1, alone ? 't' : 'o');
      if (alone) lockf(witness, F_ULOCK, 0);
      held.release();
    } catch (refused) {
      if (!(refused instanceof atmost.Busy)) throw refused;
      await sleep(1);
    }
  }
}

class Campaign {
  constructor(folder) {
    Object.assign(this, { folder, takes: 0, overlaps: 0, kills: 0, workers: [] });
  }

  start(which) {
    const child = spawn(process.execPath, [__filename, this.folder, String(which)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const worker = { child, which, takes: 0, ended: once(child, 'close') };
    child.stdout.on('data', (bytes) => {
      const overlaps = bytes.toString().split('o').length - 1;
      this.overlaps += overlaps;
      this.takes += bytes.length - overlaps;
      worker.takes += bytes.length;
    });
    this.workers[which] = worker;
  }

  // Kills only workers that were in already, so that no kill is wasted on a start.
  async kill({ child, which, ended }) {
    child.kill('SIGKILL');
    assert.deepEqual(await ended, [null, 'SIGKILL'], 'a worker ended by itself');
    this.kills += 1;
    this.start(which);
  }

  async run() {
    for (let which = 0; which < WORKERS; which += 1) this.start(which);
    while (this.takes < TAKES || this.kills < KILLS) {
      await sleep(Math.random() * 5);
      const busy = this.workers.filter((one) => one.takes > 0);
      const due = this.kills * TAKES <= this.takes * (KILLS + 10);
      if (due && busy.length > 0) await this.kill(busy[Math.floor(Math.random() * busy.length)]);
    }
    for (const { child, ended } of this.workers) {
      child.kill('SIGKILL');
      await ended;
    }
  }
}

async function main() {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'atmost-soak.'));
  const began = Date.now();
  const campaign = new Campaign(folder);
  await campaign.run();
  const { takes, kills, overlaps } = campaign;
  const left = atmost.list('a', { dir: folder }).length;
  const outsider = outside.run(folder);
  const seconds = Math.round((Date.now() - began) / 1000);
  console.log(`node soak: ${takes} takes, ${kills} killed, ${overlaps} overlaps, ${left} left, `
    + `another process then ends with ${outsider}, ${seconds} s`);
  process.exitCode = Number(overlaps !== 0 || left !== 0 || outsider !== 0);
}

if (process.argv.length > 2) work(process.argv[2], Number(process.argv[3]) % 2 === 0);
else main();
