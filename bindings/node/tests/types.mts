// Compiled only: what the declarations allow, and what they refuse.
import * as atmost from "atmost";
import { acquire, acquireSync, withLock } from "atmost";

const { signal } = new AbortController();
const one: atmost.Held = await acquire("a", { wait: Infinity, signal });
const token: bigint = one.token;
one.release({ success: false });
const length: number = await withLock("a", { shared: true }, async (held) => held.slot);
const text: string = await withLock(new Uint8Array([97]), () => "text");
const { retryIn }: { retryIn: number } = atmost.check("a");
const pids: (number | null)[] = atmost.list("a").map((entry) => entry.pid);
try {
  acquireSync(new atmost.Atom("edit", "/etc/motd"), { ifElapsed: atmost.AUTO, also: ["b"] });
} catch (error) {
  if (error instanceof atmost.TooSoon && error.code === "ATMOST_TOO_SOON") error.retryIn.toFixed();
}
{
  using held = acquireSync("a");
}
// @ts-expect-error: acquireSync() does not wait
acquireSync("a", { wait: 1 });
// @ts-expect-error: no such action
acquire("a", { onBusy: "shout" });
acquire("a", { killGrace: 0.5, noHistory: true });
atmost.list(new atmost.Atom("edit", "/etc/motd"));
// @ts-expect-error: whether it was a success has a name
one.release(false);
// @ts-expect-error: made by acquire()
new atmost.Held();
export { token, length, text, retryIn, pids };
