/// <reference lib="esnext.disposable" />
// At most N at a time, at most once every T, for at most D: libatmost for Node. Durations are
// seconds; Infinity means for ever. Texts are strings, sent as UTF-8, or bytes.

/** A limit that is learned from earlier holds: ifElapsed, expireAfter, maxRuntime. */
export const AUTO: "auto";

export type Text = string | Uint8Array;

/** The object that GetLock() of the paper locks. */
export class Atom {
  constructor(operator: Text, operand: Text, host?: Text | null);
  readonly operator: Text;
  readonly operand: Text;
  readonly host: Text | null;
}

/** A name or a path (with a slash), as atmost(1) takes it, or an atom. */
export type Name = Text | Atom;

/** The part of an AbortSignal that is used. */
export interface Signal {
  readonly aborted: boolean;
  readonly reason: any;
  addEventListener(type: "abort", listener: () => void): void;
  removeEventListener(type: "abort", listener: () => void): void;
}

/** Seconds, counts, words in the notation of atmost(1), or true for an option without a value. */
export type Value = Text | number | boolean | readonly Text[];

/** Options of atmost_set() (atmost.h), in this language's spelling; the index takes the others. */
export interface Options {
  /** N: at most so many at a time. */
  max?: number;
  /** K: slots to take, all or none. */
  take?: number;
  shared?: boolean;
  exclusive?: boolean;
  ifElapsed?: number | Text;
  /** Holders older than this are stopped if they stand in the way. */
  expireAfter?: number | Text;
  onBusy?: "fail" | "replace" | "join" | "supersede";
  /** At most K admissions in any window of that length: "K/DUR". */
  rate?: Text;
  /** Called on the event loop when a taker has taken the lock, or when maxRuntime is over; not after
   * release(). Does not keep the program running. */
  onLost?: (token: bigint) => void;
  [option: string]: Value | ((token: bigint) => void) | Signal | undefined;
}

export interface WaitOptions extends Options {
  /** Seconds to wait for admission. */
  wait?: number | Text;
  /** Aborting gives the place in the queue up; acquire() then rejects with the signal's reason. */
  signal?: Signal;
}

/** An admission. It ends by release(), or with the process. */
export class Held {
  private constructor();
  /** Greater than that of every earlier admission. */
  readonly token: bigint;
  readonly slot: number;
  /** False once it is released, or a taker has it. */
  readonly held: boolean;
  /** Another call does nothing. `success`: true by default. Throws a TypeError, and releases
   * nothing, if it is given anything else. */
  release(outcome?: { success?: boolean }): void;
  /** `using`: released as unsuccessful, unless release() came first. */
  [Symbol.dispose](): void;
}

/** Rejects with Busy or TooSoon. The event loop goes on while it waits. */
export function acquire(name: Name, options?: WaitOptions): Promise<Held>;

/** Does not wait for others; may block for five seconds on the lock file's guard, and for three
 * pauses of killGrace when it stops an overdue holder. Throws Busy or TooSoon. */
export function acquireSync(name: Name, options?: Options & { wait?: 0; signal?: undefined }): Held;

/** Holds the lock until the promise of `work` is settled; a success unless `work` throws. */
export function withLock<T>(name: Name, work: (held: Held) => T | PromiseLike<T>): Promise<T>;
export function withLock<T>(
  name: Name,
  options: WaitOptions,
  work: (held: Held) => T | PromiseLike<T>,
): Promise<T>;

/** A holder, waiter or drained slot, as atmost list shows it; null: not known, or none. */
export interface Entry {
  state: "held" | "kept" | "stopped" | "read-locked" | "foreign" | "waiting" | "drained";
  slot: number | null;
  /** Of a waiter in its queue, from 1. */
  position: number | null;
  pid: number | null;
  /** The process on whose behalf it is held. */
  keptFor: number | null;
  user: number | null;
  token: bigint | null;
  /** Seconds since 1970. */
  start: number | null;
  age: number | null;
  /** Seconds until it is overdue by its own record. */
  expires: number;
  /** Texts that any user of the lock may have written. */
  id: string;
  command: string;
  /** The kernel confirms that this process holds the slot. */
  verified: boolean;
}

/** Drained slots, holders by slot, waiters in the order of their queues. Takes nothing. */
export function list(name: Name, options?: Options): Entry[];

/** The answer that acquireSync() would give now. Takes nothing. */
export function check(
  name: Name,
  options?: Options,
): { admitted: boolean; held: number; why: string; retryIn: number };

/** Agrees, or no longer agrees, that a taker may stop this program when a lock that it takes from
 * now on is overdue. Returns the previous value. */
export function mayBeKilled(agreed: boolean): boolean;

/** Not admitted. */
export class AtmostError extends Error {
  /** The exit status of atmost(1). */
  readonly answer: number;
  readonly code:
    | "ATMOST_INTERRUPTED"
    | "ATMOST_USAGE"
    | "ATMOST_UNAVAILABLE"
    | "ATMOST_INTERNAL"
    | "ATMOST_CANNOT_CREATE"
    | "ATMOST_IO"
    | "ATMOST_BUSY"
    | "ATMOST_TOO_SOON"
    | "ATMOST_NOT_PERMITTED";
  /** The reason in one word, or "". */
  readonly why: string;
  /** After TooSoon: seconds until it is no longer too soon. */
  readonly retryIn: number;
}
/** An answer, not an error: busy or too soon. */
export class Refused extends AtmostError {}
/** Held by others. */
export class Busy extends Refused {}
/** Admitted too recently. */
export class TooSoon extends Refused {}
/** An argument is invalid. */
export class UsageError extends AtmostError {}
