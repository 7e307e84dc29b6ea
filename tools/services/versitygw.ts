import { mkdir } from "node:fs/promises";
import { connect } from "node:net";
import { join } from "node:path";
import { freePort } from "./free-port.ts";
import { ensureGoProgram, type GoProgram } from "./go-program.ts";
import { type PrivateService, startPrivateService } from "./private-service.ts";
import { testedVersions } from "./versions.ts";

/** A server of S3 whose objects are files. */
export const versityGatewayProgram: GoProgram = {
  name: "versitygw",
  version: `v${testedVersions.versitygw}`,
  source: { package: "github.com/versity/versitygw/cmd/versitygw" },
};

export interface S3Server extends Pick<PrivateService, "start" | "stop"> {
  readonly endpoint: string;
  readonly region: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

/** Starts a server in `folder` with one bucket for the caller alone, or returns why it is unavailable. The caller stops it. */
export async function startS3Server(folder: string, bucket: string): Promise<S3Server | { unavailable: string }> {
  const program = await ensureGoProgram(versityGatewayProgram);
  if ("unavailable" in program) return program;
  const port = await freePort();
  // A bucket is a folder.
  await mkdir(join(folder, "buckets", bucket), { recursive: true });
  const credentials = { accessKeyId: "tests", secretAccessKey: "a-secret-of-the-tests" };
  const region = "eu-test-1";
  const service = await startPrivateService({
    name: "versitygw",
    folder,
    startTimeoutMs: 20_000,
    prepare: async () => ({
      command: [program.path, "--port", `127.0.0.1:${port}`, "--region", region, "posix", join(folder, "buckets")],
      environment: { ROOT_ACCESS_KEY_ID: credentials.accessKeyId, ROOT_SECRET_ACCESS_KEY: credentials.secretAccessKey },
      settings: {},
    }),
    isReady: () => accepts(port),
  });
  const { start, stop } = service;
  return {
    start: () => start.call(service),
    stop: () => stop.call(service),
    endpoint: `http://127.0.0.1:${port}`,
    region,
    ...credentials,
  };
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.once("connect", () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("error", () => resolve(false));
  });
}
