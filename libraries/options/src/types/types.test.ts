import assert from "node:assert/strict";
import { test } from "node:test";
import { byteSize, byteSizeBetween } from "./byte-size.ts";
import { durationOrSeconds, durationOrZero, parseDuration } from "./duration.ts";
import { key32, namedKeys } from "./key-types.ts";
import { listOf } from "./list.ts";
import type { OptionType } from "./option-type.ts";
import { address, boolean, destination, integer, network, ratio } from "./plain-types.ts";
import { origin, url } from "./url-types.ts";

const noFile = (path: string): never => assert.fail(`reads ${path}`);

function read<T>(type: OptionType<T>, text: string): T | undefined {
  const reading = type.read(text, noFile);
  return "value" in reading ? reading.value : undefined;
}

/** Checks the value of each text; undefined for a text that is refused. */
function holds<T>(type: OptionType<T>, expected: Readonly<Record<string, T | undefined>>): void {
  const found = Object.fromEntries(Object.keys(expected).map((text) => [text, read(type, text)]));
  assert.deepEqual(found, expected);
}

test("durations with units become milliseconds; numbers without a unit are refused", () => {
  const texts = ["10m", "2m", "10s", "30s", "500ms", "1h30m", "1.5s", "7d", "10", "", "-1s", "10 m", "m"];
  const expected = [600_000, 120_000, 10_000, 30_000, 500, 5_400_000, 1_500, 604_800_000, ...Array(5).fill(undefined)];
  assert.deepEqual(texts.map(parseDuration), expected);
});

test("a duration may be 0 or bare seconds only if the option allows it", () => {
  holds(durationOrZero, { "0": 0, "0s": 0, "5s": 5_000, "5": undefined });
  holds(durationOrSeconds, { "300": 300_000, "5m": 300_000, "0": undefined, "-1": undefined });
});

test("bytes have decimal and binary units", () => {
  holds(byteSize, { "1048576": 1_048_576, "10MiB": 10_485_760, "100MB": 100_000_000, "1kB": 1_000 });
  holds(byteSizeBetween(1_024, 65_536), {
    "1023": undefined,
    "1KiB": 1_024,
    "64KiB": 65_536,
    "65537": undefined,
    x: undefined,
  });
  holds(byteSize, { "0": undefined, "1.5MB": undefined, "1mb": undefined, "9999999GiB": undefined });
});

test("numbers and booleans have exactly one notation", () => {
  holds(integer(1, 65_535), {
    "1": 1,
    "65535": 65_535,
    "0": undefined,
    "65536": undefined,
    "1e3": undefined,
    "0x10": undefined,
  });
  holds(boolean, { true: true, false: false, yes: undefined, "1": undefined, TRUE: undefined });
  holds(ratio, { "0": 0, "0.25": 0.25, "1": 1, "1.1": undefined, ".5": undefined });
});

test("addresses and networks", () => {
  holds(address, { "0.0.0.0": "0.0.0.0", "::": "::", localhost: undefined, "1.2.3": undefined });
  holds(network, { "10.0.0.0/8": "10.0.0.0/8", "::1": "::1", "fd00::/8": "fd00::/8" });
  holds(network, { "10.0.0.0/33": undefined, "10.0.0.0/": undefined, "10.0.0.0/8/8": undefined, "host/8": undefined });
});

test("a destination is a network, or a host with or without a port", () => {
  holds(destination, {
    "10.0.0.0/8": { network: "10.0.0.0/8" },
    "192.0.2.7": { network: "192.0.2.7" },
    "fd00::1": { network: "fd00::1" },
    "db.internal": { host: "db.internal" },
    "db.internal:5432": { host: "db.internal", port: 5432 },
    "192.0.2.7:5432": { host: "192.0.2.7", port: 5432 },
    "[fd00::1]:5432": { host: "fd00::1", port: 5432 },
    "db:0": undefined,
    "db:65536": undefined,
    "[db]:1": undefined,
    "http://db": undefined,
    "10.0.0.0/33": undefined,
  });
});

test("URLs have one of the schemes, and a password in them is never shown", () => {
  const amqp = url("amqp", "amqps");
  holds(amqp, { "amqp://a:b@h:5672/v": "amqp://a:b@h:5672/v", "http://h": undefined, "amqp:": undefined, h: undefined });
  const shown = (text: string): string | undefined => amqp.hidePassword?.(text);
  assert.equal(shown("amqp://user:p@ss/w:rd@host/v"), "amqp://user:***@host/v");
  assert.equal(shown("amqp:/user:secret@host"), "amqp:***@host");
  assert.equal(shown("user:secret@host"), "user:***@host");
  assert.equal(shown("amqp://host:5672/v"), "amqp://host:5672/v");
  holds(origin, { "https://a.example": "https://a.example", "https://a.example/": undefined, "*": undefined });
});

test("a list is valid if all its items are valid", () => {
  const ports = listOf(integer(1, 9));
  holds(ports, { "1,2": [1, 2], " 1 , 2 ,": [1, 2], "": [], "1,x": undefined });
  assert.deepEqual(ports.readItems?.(["3", "4"]), { value: [3, 4] });
});

test("the length of a key decides its notation", () => {
  const key = Buffer.from(Array.from({ length: 32 }, (_, index) => 200 + index));
  const hex = key.toString("hex");
  for (const written of [hex, hex.toUpperCase(), key.toString("base64"), key.toString("base64url")]) {
    assert.deepEqual(read(key32, written), key, written);
  }
  assert.deepEqual(key32.readBytes?.(key), { value: key });
  // 32 hex digits, which would be 16 bytes, are 32 characters: the key itself.
  assert.deepEqual(read(key32, "0123456789abcdef0123456789abcdef"), Buffer.from("0123456789abcdef0123456789abcdef"));
  // The length counts bytes, not characters.
  assert.equal(read(key32, "ä".repeat(16))?.length, 32);
  holds(key32, { short: undefined, ["x".repeat(33)]: undefined, ["ä".repeat(32)]: undefined, [`${hex}0`]: undefined });
});

test("named keys keep their order, and duplicate names are refused", () => {
  const [a, b] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];
  const written = `new:${b.toString("hex")}, old:${a.toString("base64")}`;
  assert.deepEqual(read(namedKeys, written), [
    { id: "new", key: b },
    { id: "old", key: a },
  ]);
  assert.deepEqual(namedKeys.readItems?.([`k:${"a,b".padEnd(32, ":")}`]), {
    value: [{ id: "k", key: Buffer.from("a,b".padEnd(32, ":")) }],
  });
  const hex = a.toString("hex");
  holds(namedKeys, { [`k:${hex},k:${hex}`]: undefined, [hex]: undefined, [`a b:${hex}`]: undefined, "k:short": undefined });
});
