import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { connectionOf } from "./connection.ts";

describe("the connection of DATABASE_URL", () => {
  let folder: string;
  let file: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "appserver-authority-"));
    file = join(folder, "ca.pem");
    await writeFile(file, "authority");
  });
  after(() => rm(folder, { recursive: true }));

  test("has escaped parts, an IPv6 address, and the name of the app", () => {
    const { host, port, user, password, database, application_name } = connectionOf({
      DATABASE_URL: "postgres://a%40b:p%3A%2F@[::1]/todos",
      APP_NAME: "com.example.todos",
    });
    assert.deepEqual([host, port, user, password, database], ["::1", 5432, "a@b", "p:/", "todos"]);
    assert.equal(application_name, "com.example.todos");
  });

  test("has the TLS of its sslmode, with the authorities of a file", () => {
    const sslOf = (query: string, more = {}) => connectionOf({ DATABASE_URL: `postgresql://u@h/d${query}`, ...more }).ssl;
    assert.equal(sslOf(""), false);
    assert.deepEqual(sslOf("?sslmode=require"), { rejectUnauthorized: false });
    const verified = { ca: "authority", rejectUnauthorized: true };
    assert.deepEqual(sslOf("?sslmode=verify-full", { PGSSLROOTCERT: file }), verified);
    assert.deepEqual(sslOf(`?sslmode=verify-full&sslrootcert=${file}`), verified);
    assert.throws(() => sslOf("?sslmode=verify-full", { PGSSLROOTCERT: join(folder, "none") }), /ENOENT/);
  });
});
