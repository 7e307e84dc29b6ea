import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { after, before, describe, test } from "node:test";
import { promisify } from "node:util";
import { EngineClient } from "@appserver/containers-docker";
import { findCanary, type ProductionPlatform, productionPlatform, uniqueName } from "@appserver/testing/kit";
import { dockerEngineForTests, TestDockerEngine } from "@appserver/testing/kit/docker";
import { startTokenIssuer, type TokenIssuer } from "@appserver/testing/kit/token-issuer";
import { parse } from "yaml";
import { purgeApp } from "../../contract/commands.ts";
import { ensureTemplateNodeBase } from "./template-bases.ts";

const run = promisify(execFile);
const repository = resolve(import.meta.dirname, "../../..");
const appctl = join(repository, "bin/appctl.mjs");
const docker = await dockerEngineForTests();
const audience = "https://apps.example.com";
/** Where the job has its checkout. */
const workspace = "/workspace";

interface Job {
  readonly code: number;
  readonly output: string;
  /** Everything on the disk of the container after the job. */
  readonly disk: string;
}

/** docs/guides/deploy-from-a-pipeline.md: with the script lines of deploy/ci, in a container that has no session and no key. */
describe("deploy from a pipeline", { skip: docker instanceof TestDockerEngine ? false : docker.unavailable }, () => {
  let platform: ProductionPlatform;
  let issuer: TokenIssuer;
  let parent: string;
  let runs = 0;
  const name = uniqueName("org.example.piped");
  const account = uniqueName("ci");
  const secrets: string[] = [];
  let keys = { APPSERVER_APP_KEY: "", APPSERVER_APP_CERTIFICATE: "" };
  before(async () => {
    [platform, issuer, parent] = await Promise.all([
      productionPlatform(),
      startTokenIssuer(),
      mkdtemp(join(tmpdir(), "appserver-pipeline-")),
    ]);
    const engine = new EngineClient(platform.addresses.docker.socketPath);
    await ensureTemplateNodeBase(engine);
    await engine.close();
    await writeFile(join(parent, "appctl"), `#!/bin/sh\nexec node ${appctl} "$@"\n`, { mode: 0o755 });
    await ctl("create", name, "--name", name, "--template", "api");
    const app = join(parent, name);
    // Prints all that the programs inherit which appctl runs.
    const described = JSON.parse(await readFile(join(app, "package.json"), "utf8")) as { scripts: Record<string, string> };
    described.scripts["build"] = 'node -p "JSON.stringify(process.env)"';
    await writeFile(join(app, "package.json"), JSON.stringify(described));
    const [key, certificate] = await Promise.all(
      ["key.pem", "certificate.pem"].map((file) => readFile(join(app, file), "utf8")),
    );
    for (const file of ["key.pem", "certificate.pem"]) await rm(join(app, file));
    const encoded = Buffer.from(key ?? "").toString("base64");
    secrets.push(encoded, encoded.slice(100, 160), key?.split("\n")[4] ?? "");
    keys = { APPSERVER_APP_KEY: encoded, APPSERVER_APP_CERTIFICATE: certificate ?? "" };
    await ctl(
      "service-accounts",
      "create",
      account,
      ...["view", "install", "register"].flatMap((each) => ["--permission", `app:${each}`]),
    );
    const conditions = ["--repository", "acme/notes", "--repository-id", "123", "--ref", "refs/heads/main"];
    const bounds = ["--account", account, "--app", name, "--audience", audience, "--issuer", issuer.url];
    for (const provider of ["github", "gitlab"]) await ctl("trust", "add", provider, ...conditions, ...bounds);
  });
  after(async () => {
    if (platform) {
      await ctl("service-accounts", "delete", account);
      await purgeApp(platform, name);
    }
    await platform?.stop();
    await issuer?.stop();
    await rm(parent, { recursive: true });
    if (docker instanceof TestDockerEngine) await docker.stop();
  });

  const environment = (): NodeJS.ProcessEnv => ({
    ...process.env,
    APPSERVER_HTTP_URL: platform.httpUrl,
    APPSERVER_GRPC_URL: platform.grpcUrl,
    APPSERVER_TOKEN: platform.addresses.adminToken,
    APPSERVER_REGISTRATION_TOKEN: "",
    DOCKER_HOST: `unix://${platform.addresses.docker.socketPath}`,
    npm_config_registry: "http://127.0.0.1:9",
  });
  const ctl = async (...args: string[]): Promise<string> =>
    (await run(process.execPath, [appctl, ...args], { cwd: parent, env: environment() })).stdout;
  const engine = (args: readonly string[], env = environment()) =>
    run("docker", args, { env, maxBuffer: 500_000_000, encoding: "latin1" });
  const idToken = async (claims: Readonly<Record<string, unknown>>): Promise<string> => {
    runs += 1;
    const now = Math.floor(Date.now() / 1_000);
    const common = { iss: issuer.url, aud: audience, iat: now, exp: now + 300, jti: `${name}-${runs}`, ref: "refs/heads/main" };
    const token = await issuer.sign({ ...common, sha: "0123456789abcdef0123456789abcdef01234567", ...claims });
    secrets.push(token);
    return token;
  };
  const ofGithub = (changed = {}) =>
    idToken({ repository: "acme/notes", repository_id: "123", event_name: "push", run_id: "4242", ...changed });
  const ofGitlab = () =>
    idToken({
      project_path: "acme/notes",
      project_id: "123",
      ref_path: "refs/heads/main",
      pipeline_source: "push",
      pipeline_id: "77",
    });

  /** The script lines of a job that is of the action, and of one that extends the template. */
  const scripts = {
    github: (): readonly string[] => {
      const { runs: action } = parse(readFileSync(join(repository, "deploy/ci/github/action.yml"), "utf8")) as {
        readonly runs: { readonly steps: readonly { readonly run: string }[] };
      };
      return action.steps.map((step) => step.run);
    },
    gitlab: (): readonly string[] => {
      const template = parse(readFileSync(join(repository, "deploy/ci/gitlab.yml"), "utf8")) as {
        readonly ".appserver-deploy": { readonly script: readonly string[] };
      };
      return template[".appserver-deploy"].script;
    },
  };

  /** Runs a job in a container with node, appctl and a client of the engine, which has the checkout and nothing else. */
  const job = async (lines: readonly string[], token: string): Promise<Job> => {
    const { registry, socketPath } = platform.addresses.docker;
    const variables = {
      APPSERVER_HTTP_URL: platform.httpUrl,
      APPSERVER_GRPC_URL: platform.grpcUrl,
      APPSERVER_REGISTRY: registry,
      APPSERVER_ID_TOKEN: token,
      ...keys,
      FOLDER: ".",
      REGISTRY: registry,
      TAG: "latest",
      npm_config_registry: "http://127.0.0.1:9",
    };
    const client = (await run("sh", ["-c", "realpath $(command -v docker)"])).stdout.trim();
    const mounts = [
      `${repository}:${repository}:ro`,
      `${client}:/usr/local/bin/docker:ro`,
      `${socketPath}:/var/run/docker.sock`,
    ];
    const flags = [
      ...mounts.flatMap((mount) => ["--volume", mount]),
      ...Object.keys(variables).flatMap((each) => ["--env", each]),
    ];
    const command = ["node:24-slim", "/bin/sh", "-e", "-c", lines.join("\n")];
    const created = await engine(["create", "--network", "host", "--user", "0", "--workdir", workspace, ...flags, ...command], {
      ...environment(),
      ...variables,
    });
    const container = created.stdout.trim();
    try {
      await engine(["cp", `${join(parent, name)}/.`, `${container}:${workspace}`]);
      await engine(["cp", join(parent, "appctl"), `${container}:/usr/local/bin/appctl`]);
      const ended = await engine(["start", "--attach", container]).then(
        ({ stdout, stderr }) => ({ code: 0, output: stdout + stderr }),
        (error: { code: number; stdout: string; stderr: string }) => ({
          code: error.code,
          output: error.stdout + error.stderr,
        }),
      );
      return { ...ended, disk: (await engine(["export", container])).stdout };
    } finally {
      await engine(["rm", "--force", container]);
    }
  };
  const requireNoSecret = ({ output, disk }: Job): void => {
    assert.ok(disk.includes("workspace/app.yaml"));
    for (const secret of secrets) assert.deepEqual(findCanary(secret, { output, disk }), []);
  };

  test("a job prints the plan, and asks for the approval that the app needs", async () => {
    const file = join(parent, name, "app.yaml");
    const requested =
      '\nrequired_permissions:\n  - { scope: "notes:read", resource_type: com.example.notes, reason: Reads notes. }\n';
    await writeFile(file, (await readFile(file, "utf8")) + requested);
    const asked = await job(scripts.github(), await ofGithub());
    assert.match(asked.output, /needs approval:\n {2}notes:read of com\.example\.notes Reads notes\./);
    assert.match(asked.output, /image sha256:[0-9a-f]{64}/);
    assert.match(asked.output, new RegExp(`waits for an approval of notes:read: run .appctl approve ${name} notes:read`));
    assert.equal(asked.code, 4, asked.output);
    assert.match(asked.output, /"npm_lifecycle_event":"build"/);
    requireNoSecret(asked);
  });

  test("after the approval the app runs, with the commit and the run", async () => {
    await ctl("approve", name, "notes:read");
    const deployed = await job(scripts.gitlab(), await ofGitlab());
    assert.equal(deployed.code, 0, deployed.output);
    assert.match(deployed.output, new RegExp(`install ${name} 0\\.1\\.0`));
    assert.match(deployed.output, new RegExp(`${name} 0\\.1\\.0 serves: `));
    requireNoSecret(deployed);
    const described = await ctl("describe", name);
    assert.match(described, /^state +RUNNING$/m);
    assert.match(
      described,
      /^source +acme\/notes 0123456789ab refs\/heads\/main http:\/\/127\.0\.0\.1:\d+\/acme\/notes\/actions\/runs\/4242$/m,
    );
  });

  test("the token of another repository is refused with the reason, and nothing is built", async () => {
    const refused = await job(scripts.github(), await ofGithub({ repository: "evil/notes", repository_id: "666" }));
    assert.equal(refused.code, 1, refused.output);
    assert.match(refused.output, /no trust is for evil\/notes \(id 666\) \(invalid_grant\)/);
    assert.doesNotMatch(refused.output, /Step 1/);
    requireNoSecret(refused);
    for (const secret of secrets) assert.deepEqual(findCanary(secret, { log: await platform.log() }), []);
  });
});
