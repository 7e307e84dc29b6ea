import assert from "node:assert/strict";
import { test } from "node:test";
import { ConfigError } from "./config-error.ts";
import { printConfiguration } from "./print-configuration.ts";
import { type Configuration, readConfiguration } from "./read-configuration.ts";
import { defineSchema, defineSection, type Sections } from "./schema.ts";
import { key32 } from "./types/key-types.ts";
import { listOf } from "./types/list.ts";
import { boolean, integer, oneOf, port, text } from "./types/plain-types.ts";
import { url } from "./types/url-types.ts";

const web = defineSection({
  yaml: "web",
  doc: "",
  options: {
    port: { env: "APPSERVER_WEB_PORT", yaml: "port", flag: "port", type: port, default: "80", doc: "" },
    hosts: { env: "APPSERVER_WEB_HOSTS", yaml: "hosts", type: listOf(text), default: "", doc: "" },
    tls: { env: "APPSERVER_WEB_TLS", yaml: "tls", type: boolean, default: "false", doc: "" },
  },
});
const bus = defineSection({
  yaml: "rabbit",
  aliases: ["bus"],
  doc: "",
  options: {
    password: {
      env: "APPSERVER_PASSWORD",
      aliases: ["PASSWORD"],
      yaml: "password",
      type: text,
      required: true,
      secret: true,
      doc: "",
    },
    url: { env: "APPSERVER_URL", yaml: "url", type: url("amqp"), inFile: true, doc: "" },
    key: { env: "APPSERVER_KEY", yaml: "key", type: key32, secret: true, doc: "" },
  },
});
const schema = defineSchema({
  process: "try",
  sections: { web, bus },
  rules: ({ web: { port, tls } }) => [
    ...(tls && port !== 443 ? [{ at: ["web", "port"], message: "expected 443 with tls" } as const] : []),
    ...(tls ? [] : [{ at: ["web", "tls"], message: "tls is off", severity: "warning" } as const]),
  ],
});

interface Given {
  readonly flags?: Readonly<Record<string, unknown>>;
  readonly environment?: Readonly<Record<string, string>>;
  readonly files?: Readonly<Record<string, string | Buffer>>;
}

function readAll({ flags = {}, environment = {}, files = {} }: Given) {
  const readFile = (path: string): Buffer => {
    const content = files[path];
    if (content === undefined) throw new Error(`ENOENT: ${path}`);
    return Buffer.from(content);
  };
  const password = { APPSERVER_PASSWORD: "x" };
  return readConfiguration(schema, { flags, environment: { ...password, ...environment }, readFile });
}

const withFile = (yaml: string, given: Given = {}): Given => ({
  ...given,
  flags: { ...given.flags, config: "a.yaml" },
  files: { ...given.files, "a.yaml": yaml },
});

function originOf(configuration: Configuration<Sections>, name: string): string | undefined {
  return configuration.options.find((option) => option.name === name)?.origin.name;
}

/** Returns the lines of the error message, without the first. */
function problems(given: Given): readonly string[] {
  try {
    readAll(given);
  } catch (error) {
    assert.ok(error instanceof ConfigError, String(error));
    return error.message
      .split("\n")
      .slice(1)
      .map((line) => line.trim());
  }
  return assert.fail("the configuration was taken");
}

test("flags win over the environment, the environment over the file, the file over defaults", () => {
  const found: (readonly [number, string | undefined])[] = [];
  const given = withFile("web:\n  port: 3", { flags: { port: "1" }, environment: { APPSERVER_WEB_PORT: "2" } });
  for (const each of [given, { ...given, flags: { config: "a.yaml" } }, withFile("web:\n  port: 3"), {}]) {
    const configuration = readAll(each);
    found.push([configuration.values.web.port, originOf(configuration, "port")]);
  }
  assert.deepEqual(found, [
    [1, "--port"],
    [2, "APPSERVER_WEB_PORT"],
    [3, "a.yaml:2"],
    [80, "default"],
  ]);
});

test("an empty value counts as not given", () => {
  const { values } = readAll(withFile("web:\n  port:\nbus:", { environment: { APPSERVER_WEB_PORT: "", APPSERVER_URL: "" } }));
  assert.deepEqual([values.web.port, values.bus.url], [80, undefined]);
});

test("values are frozen recursively", () => {
  const { values } = readAll({ environment: { APPSERVER_WEB_HOSTS: "a,b" } });
  assert.ok([values, values.web, values.web.hosts].every((each) => Object.isFrozen(each)));
});

test("the file has scalars as written, sequences, anchors, and either name of a section", () => {
  const yaml = "web: { port: 0443, hosts: [a, &b 'b,c', *b] }\nbus:\n  password: 0123456789012345678901234567890";
  const { values } = readAll({ ...withFile(yaml), environment: { APPSERVER_PASSWORD: "" } });
  assert.deepEqual(values.web, { port: 443, hosts: ["a", "b,c", "b,c"], tls: false });
  assert.equal(values.bus.password, "0123456789012345678901234567890");
});

test("a secret can be given by the path of a file with text or bytes", () => {
  const key = Buffer.alloc(32, 0xff);
  const environment = { APPSERVER_PASSWORD: "", PASSWORD_FILE: "/run/p", APPSERVER_KEY_FILE: "/run/k" };
  const configuration = readAll({
    ...withFile("bus:\n  url_file: /run/u"),
    environment,
    files: { "/run/p": "secret\n", "/run/k": key, "/run/u": "amqp://u:p@h\r\n", "a.yaml": "bus:\n  url_file: /run/u" },
  });
  const { bus } = configuration.values;
  assert.deepEqual([bus.password, bus.key, bus.url], ["secret", key, "amqp://u:p@h"]);
  assert.equal(originOf(configuration, "password"), "PASSWORD_FILE");
  // Containers receive the secret itself under its own variable.
  assert.equal(configuration.environment["APPSERVER_PASSWORD"], "secret");
  assert.equal(configuration.environment["APPSERVER_URL"], "amqp://u:p@h");
});

test("all problems are reported at once, and no secret is shown", () => {
  const environment = {
    APPSERVER_WEB_PORT: "http",
    APPSERVER_PASSWORD: "",
    APPSERVER_KEY: "canary",
    APPSERVER_URL: "http://u:canary@h",
  };
  assert.deepEqual(problems(withFile("web:\n  tls: yes\n  prot: 1\nwbe:\n  a: 1", { environment })), [
    "a.yaml:3 web.prot: unknown option; did you mean port?",
    "a.yaml:4 wbe: unknown section; did you mean web?",
    'APPSERVER_WEB_PORT="http": expected a whole number from 1 to 65535',
    'a.yaml:2 web.tls="yes": expected true or false',
    "APPSERVER_PASSWORD (or APPSERVER_PASSWORD_FILE, or rabbit.password in the file): missing; expected text",
    'APPSERVER_URL="http://u:***@h": expected a URL that starts with amqp://',
    "APPSERVER_KEY=***: expected 32 bytes: 64 hex digits, base64 (43 or 44 characters), or 32 characters as they are",
  ]);
});

test("a value together with its file variable, and a missing file, are problems", () => {
  const environment = { APPSERVER_PASSWORD_FILE: "/p", APPSERVER_URL_FILE: "/u" };
  assert.deepEqual(problems({ environment }), [
    "APPSERVER_PASSWORD: expected either this or APPSERVER_PASSWORD_FILE, not both",
    'APPSERVER_URL_FILE="/u": expected the path of a readable file (ENOENT: /u)',
  ]);
});

test("issues of rules are reported with the other problems, once for each option", () => {
  const environment = { APPSERVER_WEB_TLS: "true", APPSERVER_URL: "h" };
  assert.deepEqual(problems({ environment }), [
    'APPSERVER_URL="h": expected a URL that starts with amqp://',
    "APPSERVER_WEB_PORT (or --port, or web.port in the file): expected 443 with tls",
  ]);
  assert.deepEqual(problems({ environment: { APPSERVER_WEB_TLS: "true" }, flags: { port: "0" } }), [
    '--port "0": expected a whole number from 1 to 65535',
  ]);
  assert.deepEqual(readAll({}).warnings, ["tls is off"]);
});

test("unknown names: a flag is a problem, an APPSERVER_ variable a warning, other variables are ignored", () => {
  assert.deepEqual(problems({ flags: { workers: "3" } }), ["--workers: not a flag of try"]);
  const { warnings } = readAll({ environment: { APPSERVER_WEB_PROT: "1", PATH: "/bin", APPSERVER_QUITE_OTHER_THING: "1" } });
  assert.deepEqual(warnings.slice(1), [
    "APPSERVER_QUITE_OTHER_THING is not an option and is ignored",
    "APPSERVER_WEB_PROT is not an option and is ignored; did you mean APPSERVER_WEB_PORT?",
  ]);
});

test("options of other processes are known names, in the file and in the environment", () => {
  const other = defineSection({
    yaml: "web",
    doc: "",
    options: { size: { env: "APPSERVER_SIZE", yaml: "size", type: integer(0), doc: "" } },
  });
  const sources = {
    flags: { config: "a.yaml" },
    environment: { APPSERVER_SIZE: "x", APPSERVER_PASSWORD: "x", APPSERVER_WEB_TLS: "false", APPSERVER_TEST_A: "1" },
    readFile: () => Buffer.from("web:\n  size: x\n  port: 1"),
  };
  const { warnings } = readConfiguration(schema, sources, { sections: [other], variables: ["APPSERVER_TEST_"] });
  assert.deepEqual(warnings, ["tls is off"]);
});

test("a file with invalid YAML, or of another shape, is reported with its line", () => {
  const refusal = (yaml: string): RegExp | string => problems(withFile(yaml))[0] ?? "";
  assert.equal(refusal("web:\n  port: 1\n  port: 2\n"), "a.yaml:3: Map keys must be unique");
  for (const broken of ["bus:\n  password: 'a' canary", "bus:\n password: a\n canary", "bus: [canary", "canary\nbus: 1"]) {
    assert.doesNotMatch(String(refusal(broken)), /canary/);
  }
  assert.equal(refusal("- a"), "a.yaml:1: expected sections such as server: and database:");
  assert.equal(refusal("web: 3"), "a.yaml:1: expected options of the section web, each on its own line below it");
  assert.match(String(refusal("web:\n  port: { a: 1 }")), /^a\.yaml:2 web\.port=.*: expected .*, not a mapping$/);
  assert.equal(problems(withFile("web:\n  port: { a: 1 }\nrabbit: 3\nwbe: 4")).length, 4);
  assert.throws(() => readAll({ flags: { config: "b.yaml" } }), /^ConfigError: -c b\.yaml: could not read the file: ENOENT/);
});

test("the printed configuration has every value with its source, and no secret", () => {
  const printed = printConfiguration(
    readAll({ environment: { APPSERVER_PASSWORD: "canary", APPSERVER_URL: "amqp://u:canary@h", APPSERVER_WEB_HOSTS: "a,b" } }),
  );
  assert.equal(
    printed,
    `web
  port      80              default
  hosts     a,b             APPSERVER_WEB_HOSTS
  tls       false           default

rabbit
  password  ***             APPSERVER_PASSWORD
  url       amqp://u:***@h  APPSERVER_URL
  key       -               not set

warning: tls is off
`,
  );
});

test("a switch chooses the value, is the variable of the value, and must agree with the option", () => {
  const given = { env: "APPSERVER_STORE_ENABLED", section: { yaml: "old" }, yaml: "store_enabled", on: "disk", off: "memory" };
  const driver = { env: "APPSERVER_STORE", yaml: "driver", type: oneOf("memory", "disk", "tape"), default: "disk", doc: "" };
  const store = defineSection({ yaml: "store", doc: "", options: { driver: { ...driver, switch: given } } });
  const read = (environment: Readonly<Record<string, string>>, yaml = "") => {
    const flags = yaml === "" ? {} : { config: "a.yaml" };
    return readConfiguration(
      defineSchema({ process: "try", sections: { store } }),
      { flags, environment, readFile: () => Buffer.from(yaml) },
      { sections: [defineSection({ yaml: "old", doc: "", options: {} })] },
    );
  };
  const chosen = (...args: Parameters<typeof read>): string => read(...args).values.store.driver;
  assert.deepEqual([chosen({}), chosen({ APPSERVER_STORE: "tape" })], ["disk", "tape"]);
  assert.equal(chosen({ APPSERVER_STORE_ENABLED: "false" }), "memory");
  assert.equal(chosen({}, "old: { store_enabled: false }"), "memory");
  assert.deepEqual(read({}, "old: { store_enabled: false }").environment, { APPSERVER_STORE_ENABLED: "false" });
  assert.deepEqual(read({ APPSERVER_STORE: "disk", APPSERVER_STORE_ENABLED: "true" }).warnings, []);
  assert.throws(() => read({ APPSERVER_STORE: "tape" }, "old: { store_enabled: true }"), {
    message: /APPSERVER_STORE="tape": contradicts a\.yaml:1 old\.store_enabled=true, which means disk: expected only one/,
  });
  assert.throws(() => read({ APPSERVER_STORE_ENABLED: "yes" }), /APPSERVER_STORE_ENABLED="yes": expected true or false/);
});
