import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { appctl, requests, usePlatform } from "../test/recorded-platform.ts";
import { harmless, harmlessJson, harmlessLines } from "./harmless.ts";
import { laterTimeOf, timeOf } from "./time-argument.ts";

usePlatform();

const name = "com.example.notes";
const notes = "--- app-com.example.notes started, generation 2 ---\n--- 7 lines left out ---\n";

describe("appctl logs", () => {
  test("prints the lines on stdout, without sequences that change the terminal, and notes on stderr", async () => {
    assert.deepEqual(await appctl("logs", name, "--tail", "5"), {
      code: 0,
      stdout: "it listens\n\x1b[31mred\\x1b[2J\x1b[0m\nlong … (cut)\n",
      stderr: notes,
    });
    assert.partialDeepStrictEqual(requests[0]?.request, { name, tail: 5, follow: false });
  });

  test("prints one JSON value a line", async () => {
    const { stdout, stderr } = await appctl("--json", "logs", name);
    const time = "2026-01-31T12:00:00.005Z";
    const line = { time, stream: "stdout", isCut: false, container: `app-${name}`, generation: 1 };
    assert.equal(stderr, "");
    assert.deepEqual(
      stdout
        .trim()
        .split("\n")
        .map((text) => JSON.parse(text)),
      [
        { ...line, text: "it listens" },
        { ...line, stream: "stderr", text: "\x1b[31mred\x1b[2J" },
        { started: `app-${name}`, generation: 2 },
        { linesLeftOut: 7 },
        { ...line, generation: 2, text: "long", isCut: true },
      ],
    );
  });

  test("prints what one instance printed, with its id in JSON", async () => {
    const { stdout } = await appctl("--json", "logs", name, "--instance", "1a2b3c4d-5e6");
    assert.partialDeepStrictEqual(JSON.parse(stdout), { text: "of one", instance: "1a2b3c4d-5e6" });
  });

  test("follows: when the server stops, it continues after the last line, and a refusal ends it", async () => {
    const { code, stdout, stderr } = await appctl("logs", "-f", name, "--tail", "1");
    assert.equal(code, 1);
    // Of the second stream, what the first one had is left out.
    assert.equal(stdout.match(/^it listens$/gm)?.length, 2);
    assert.equal(stderr, `${notes}${notes}appctl: revoked (PERMISSION_DENIED)\n`);
    const [first, second] = requests.map(({ request }) => request as { readonly tail?: number; readonly since?: string });
    assert.partialDeepStrictEqual(first, { tail: 1, follow: true });
    assert.equal(second?.tail, undefined);
    assert.equal(second?.since, "2026-01-31T12:00:00.004Z");
  });

  test("refuses what it does not understand", async () => {
    for (const args of [
      ["--tail", "few"],
      ["--tail", "-1"],
      ["--since", "yesterday"],
      ["--since", "10"],
    ]) {
      const { code, stderr } = await appctl("logs", name, ...args);
      assert.equal(code, 2, args.join(" "));
      assert.match(stderr, /whole number of lines|--since must be a duration/);
    }
    assert.deepEqual(requests, []);
    assert.equal((await appctl("logs", "com.example.none")).code, 1);
  });

  test("colours end with their line; what hides text, moves the cursor or turns the direction of writing is printed as an escape", () => {
    const reset = "\x1b[0m";
    for (const style of ["", "0", "1;31", "38;5;8", "48;2;8;8;8;97", "107"])
      assert.equal(harmless(`\x1b[${style}mred`), `\x1b[${style}mred${reset}`);
    // 38;5;38 is a colour, and then 8 hides the text.
    for (const style of ["8", "1;8", "08", "38;5;38;5;8", "38;8", "38;2;1;2;;8", "58", "300"])
      assert.equal(harmless(`\x1b[${style}mred`), `\\x1b[${style}mred`);
    assert.equal(harmless("a\x1b[2Jb\x1b]0;title\x07\x9bc\r\t"), "a\\x1b[2Jb\\x1b]0;title\\x07\\x9bc\\x0d\t");
    assert.equal(harmless("moc.elpmaxe\u202e \u2066\u200f"), "moc.elpmaxe\\u202e \\u2066\\u200f");
    assert.equal(harmless("plain äöü"), "plain äöü");
    assert.equal(harmless(harmless("\x1b[31mred")), harmless("\x1b[31mred"));
    assert.equal(harmlessLines("a\x1b[2J\nb\u202e"), "a\\x1b[2J\nb\\u202e");
    const value = { text: "a\x1b[2J\u202e\x9b\x7f" };
    assert.equal(harmlessJson(value), '{"text":"a\\u001b[2J\\u202e\\u009b\\u007f"}');
    assert.deepEqual(JSON.parse(harmlessJson(value)), value);
  });

  test("durations count back from now", () => {
    const now = Date.UTC(2026, 0, 2);
    assert.equal(timeOf("--since", "90s", now), "2026-01-01T23:58:30.000Z");
    assert.equal(timeOf("--since", "10m", now), "2026-01-01T23:50:00.000Z");
    assert.equal(laterTimeOf("--expires", "1d", now), "2026-01-03T00:00:00.000Z");
    assert.equal(timeOf("--since", "2h", now), "2026-01-01T22:00:00.000Z");
    assert.equal(timeOf("--since", "1d", now), "2026-01-01T00:00:00.000Z");
    assert.equal(timeOf("--since", "2026-01-01T12:00:00+02:00", now), "2026-01-01T10:00:00.000Z");
  });
});
