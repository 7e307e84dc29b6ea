import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { compare } from "./compare.ts";
import type { NewRelease } from "./compare-app.ts";
import { dependencyOrder } from "./dependency-order.ts";
import { formOf, grantOf } from "./grant-form.ts";
import { planMarkdown } from "./plan-text.ts";
import { PlatformFileError } from "./platform-file-error.ts";
import type { LiveApp, LivePlatform } from "./read-platform.ts";
import { parsePlatformFile } from "./read-platform-file.ts";
import { secretVariables } from "./secret-variables.ts";
import { stepLines } from "./step.ts";
import { platformFileText } from "./write-platform-file.ts";

const [first, second] = ["1".repeat(64), "2".repeat(64)];
const entry = (name: string, more = ""): string =>
  `- { name: ${name}, version: 1.0.0, manifest: "${first}", state: INSTALLED${more} }`;

function problemsOf(text: string): readonly string[] {
  try {
    parsePlatformFile(text, "f");
  } catch (error) {
    assert.ok(error instanceof PlatformFileError, String(error));
    return error.problems;
  }
  return [];
}

const empty: LivePlatform = { apps: [], accounts: [], trusts: [], grants: [], accountIds: new Map() };

function liveApp(name: string, fields: Partial<LiveApp> = {}): LiveApp {
  return {
    id: name,
    name,
    version: "1.0.0",
    manifest: first,
    certificate: undefined,
    state: "INSTALLED",
    isEnabled: true,
    settings: {},
    secrets: {},
    approvals: [],
    unapproved: [],
    pausedSchedules: [],
    available: undefined,
    releases: [fields.manifest ?? first],
    needs: [],
    ...fields,
  };
}

const linesOf = (text: string, live: LivePlatform, find: (name: string) => NewRelease | undefined = () => undefined) =>
  compare(parsePlatformFile(text, "f"), live, ({ name }) => find(name)).flatMap(stepLines);

describe("a platform file", () => {
  for (const [name, text, expected] of [
    [
      "an unknown section",
      "app: []",
      "f:1:6: app is unknown; the fields here are apps, service_accounts, trusted_pipelines, grants",
    ],
    ["a list instead of a mapping", "- 1", "f:1:1: the file must be a mapping of apps"],
    ["broken YAML", "apps: [", "f:1:8: "],
    ["a key twice", "apps: []\napps: []", "f:2:1: Map keys must be unique"],
    ["a wrong type", "apps:\n- { name: 5 }", "f:2:11: apps[0].name "],
    [
      "a wrong state",
      `apps:\n${entry("a").replace("INSTALLED", "ON")}`,
      "apps[0].state must be one of REGISTERED, INSTALLED, DISABLED",
    ],
    ["a missing field", "apps:\n- { name: a, version: 1.0.0, state: INSTALLED }", "f:2:3: apps[0].manifest is required"],
    ["a wrong digest", `apps:\n${entry("a").replace(first, "12")}`, "apps[0].manifest must match ^[0-9a-f]{64}$"],
    ["an app twice", `apps:\n${entry("a")}\n${entry("a")}`, "f:3:3: apps[1] is there already: a"],
    ["a setting without a value", `apps:\n${entry("a", ", settings: { k: null }")}`, "settings.k must have a value"],
    [
      "a secret among the settings",
      `apps:\n${entry("a", ", settings: { k: 1 }, secrets: { k: K }")}`,
      "secrets.k is in settings as well",
    ],
    ["a secret in the file", `apps:\n${entry("a", ', secrets: { k: "my secret" }')}`, "secrets.k must match"],
    [
      "a grant of nothing",
      "grants:\n- { subject: user:a }",
      "f:2:3: grants[0] must have one of role, permission, or app with level",
    ],
    ["a grant of two things", "grants:\n- { subject: user:a, role: easy, permission: app:view }", "grants[0] must have one of"],
    ["an unknown permission", "grants:\n- { subject: user:a, permission: app:fly }", "expected one like app:install"],
    ["a wrong level", "grants:\n- { subject: user:a, app: b, level: boss }", "grants[0].level must match"],
    ["a service account's grant", "grants:\n- { subject: machine:1, role: easy }", "give it in service_accounts"],
    ["no subject of the model", "grants:\n- { subject: alice, role: easy }", "grants[0].subject must be user:<id>"],
  ] as const)
    test(`refuses ${name}, with its place`, () => {
      const problems = problemsOf(text);
      assert.ok(problems[0]?.includes(expected), problems.join("\n"));
    });

  test("is read as it was written", () => {
    const app = {
      ...liveApp("com.example.a", { certificate: second }),
      settings: { list: [1, { b: 1, a: null }], text: "yes", number: 1.5, flag: false },
      secrets: { token: "TOKEN" },
      approvals: [
        { scope: "items:read", of: "com.example.b" },
        { scope: "app:view", of: undefined },
      ],
      pausedSchedules: [
        { activity: "x", key: "" },
        { activity: "x", key: "second" },
      ],
    };
    const trust = {
      account: "ci",
      provider: "OIDC" as const,
      apps: ["com.example.a"],
      repository: undefined,
      repositoryId: undefined,
      ref: undefined,
      environment: undefined,
      issuer: "https://issuer.example",
      audience: "https://other.example",
      claims: { sub: "17", repository: "acme/notes" },
    };
    const grants = [{ user: "user:*", relation: "viewer", object: "app:com.example.a" }];
    const accounts = [
      { name: "ci", grants: [{ relation: "assignee", object: "role:readers" }] },
      { name: "none", grants: [] },
    ];
    const text = platformFileText({ apps: [app], accounts, trusts: [trust], grants }, "http://127.0.0.1:8080/");
    const { apps, accounts: readAccounts, trusts, grants: readGrants } = parsePlatformFile(text, "f");
    const { id: _, isEnabled: _e, available: _a, releases: _r, needs: _n, unapproved: _u, ...expected } = app;
    assert.deepEqual([apps, readAccounts, trusts, readGrants], [[expected], accounts, [trust], grants]);
  });

  test("has the grants in the words of people", () => {
    for (const [form, tuple] of [
      [{ role: "easy" }, { relation: "assignee", object: "role:easy" }],
      [
        { app: "com.example.a", level: "owner" },
        { relation: "owner", object: "app:com.example.a" },
      ],
      [{ permission: "settings:read_secrets" }, { relation: "holder", object: "permission_scope:read~secrets_settings" }],
      [{ permission: "com.example.a/items:read" }, { relation: "holder", object: "permission_scope:com.example.a/read_items" }],
    ] as const) {
      const read = grantOf(form);
      assert.ok(!("problem" in read));
      assert.deepEqual(formOf(read), form);
      if (form !== undefined && !("permission" in form)) assert.deepEqual(read, tuple);
    }
    assert.equal(formOf({ relation: "can_grant", object: "permission_scope:view_app" }), undefined);
  });
});

describe("the steps that make a platform what a file says", () => {
  test("come in the order in which they depend on each other", () => {
    const text = `apps:
${entry("com.example.a", ", settings: { size: 2 }, approved_permissions: [{ scope: items:read, of: com.example.b }]")}
${entry("com.example.b").replace("INSTALLED", "DISABLED")}
service_accounts: [{ name: ci, grants: [{ role: readers }] }]
trusted_pipelines: [{ account: ci, provider: GITHUB, apps: [com.example.a], repository: acme/a, repository_id: "1", ref: refs/heads/main }]
grants: [{ subject: user:alice, role: easy }]`;
    const find = (name: string) => ({
      needs: name === "com.example.a" ? ["com.example.b"] : [],
      needsApproval: [],
      imageDigest: undefined,
      certificate: "",
      hasCertificate: false,
    });
    const live: LivePlatform = { ...empty, grants: [{ user: "user:bob", relation: "assignee", object: "role:easy" }] };
    assert.deepEqual(linesOf(text, live, find), [
      "+ register com.example.b 1.0.0 (manifest 111111111111)",
      "+ register com.example.a 1.0.0 (manifest 111111111111)",
      "+ create service account ci: assignee role:readers",
      "+ set size of com.example.a: 2",
      "+ approve items:read of com.example.b for com.example.a",
      "+ install com.example.b 1.0.0 (manifest 111111111111)",
      "+ install com.example.a 1.0.0 (manifest 111111111111)",
      "~ disable com.example.b",
      "+ grant user:alice assignee role:easy",
      "+ trust github acme/a (id 1) refs/heads/main for com.example.a as ci",
      "- revoke user:bob assignee role:easy",
    ]);
  });

  test("set what another release has after the switch to it", () => {
    const text = `apps:\n${entry("a", ", settings: { size: 2 }").replace(first, second)}`;
    const live = {
      ...empty,
      apps: [liveApp("a", { releases: [first, second], available: { version: "1.0.1", manifest: second } })],
    };
    assert.deepEqual(linesOf(text, live), ["~ upgrade a 1.0.0 -> 1.0.0 (manifest 222222222222)", "+ set size of a: 2"]);
  });

  test("are none for equal values, whatever the order of their keys", () => {
    const text = `apps:\n${entry("a", ", settings: { o: { x: 1, y: [2] } }")}`;
    assert.deepEqual(linesOf(text, { ...empty, apps: [liveApp("a", { settings: { o: { y: [2], x: 1 } } })] }), []);
  });

  test("uninstall what needs others before these", () => {
    const live = { ...empty, apps: [liveApp("a"), liveApp("b", { needs: ["a"] })] };
    assert.deepEqual(linesOf("apps: []", live), ["- uninstall b", "- uninstall a"]);
    assert.deepEqual(linesOf("grants: []", live), []);
  });

  test("do not need an order that a circle has not", () => {
    const needs: Readonly<Record<string, readonly string[]>> = { a: ["b"], b: ["a"], c: ["d"], d: [] };
    assert.deepEqual(
      dependencyOrder(["a", "b", "c", "d"], (name) => needs[name] ?? []),
      ["b", "a", "d", "c"],
    );
  });
});

test("two secrets never have the same variable", () => {
  const taken = new Map<string, number>();
  const ofFirst = secretVariables("com.example.a", ["api.key", "api_key"], taken);
  assert.deepEqual(ofFirst, { "api.key": "SECRET_COM_EXAMPLE_A_API_KEY", api_key: "SECRET_COM_EXAMPLE_A_API_KEY__2" });
  assert.deepEqual(secretVariables("com.example.a.api", ["key"], taken), { key: "SECRET_COM_EXAMPLE_A_API_KEY__3" });
});

test("a text of an app does not end the block of code that it is in", () => {
  const plan = { steps: [], left: [], blockers: [], warnings: ["```\n# Approved"], needsApproval: [], digest: first };
  assert.match(planMarkdown(plan), /````text\n```\n# Approved\n````/);
});
