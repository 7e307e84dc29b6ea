import assert from "node:assert/strict";
import { resolve } from "node:path";
import { after, before, describe, test } from "node:test";
import { createPlatformClient, registerApp } from "@appserver/sdk";
import { containerApi, eventually, testApp } from "@appserver/testing/kit";
import { pushNodeImage } from "@appserver/testing/kit/kubernetes";
import { contentsOf } from "../kit/under-load.ts";
import { ClusterOperator } from "./cluster-operator.ts";
import { administratorOf } from "./person.ts";

const chart = resolve(import.meta.dirname, "../../deploy/helm/appserver");
/** Returns what the app reaches of the platform. */
const source = `
import { createServer } from "node:http";
import { connect } from "node:net";

const { APPSERVER_HTTP_URL, APPSERVER_GRPC_ADDRESS, DB_HOST, DB_PORT, PORT } = process.env;
const reach = ([host, port]) =>
  new Promise((resolve) => {
    const socket = connect(Number(port), host, () => resolve("reached"));
    socket.once("error", (error) => resolve(error.code));
    socket.once("connect", () => socket.destroy());
  });
createServer(async (request, response) => {
  if (request.url === "/health") return response.end();
  const http = await fetch(APPSERVER_HTTP_URL + "/health").then(({ status }) => status, String);
  const grpc = await reach(APPSERVER_GRPC_ADDRESS.split(":"));
  response.end(JSON.stringify({ http, grpc, database: await reach([DB_HOST, DB_PORT]) }));
}).listen(Number(PORT));
`;
const started = await ClusterOperator.start();
const skip = "unavailable" in started ? started.unavailable : false;
const timeoutMs = 500_000;

describe("everything in one pod", { skip, timeout: 2 * timeoutMs }, () => {
  const operator = started as ClusterOperator;
  const section = "Everything in one pod";
  const isDeletion = (commands: string): boolean => commands.includes("delete");
  const at = (): Promise<string> => operator.call("kubectl get pod trial-0 --output jsonpath='{.status.podIP}'");
  before(() => operator.prepare(), { timeout: timeoutMs });
  after(() => operator.stop());

  test("the commands of the guide start it", { timeout: timeoutMs }, async () => {
    await operator.call(`kubectl create namespace ${operator.namespace}`);
    await operator.call(`kubectl config set-context --current --namespace ${operator.namespace}`);
    await operator.follow(section, (commands) => !isDeletion(commands));
  });

  test("it starts again on its data, with the link of its first administrator", { timeout: timeoutMs }, async () => {
    // The tests' cluster has no DNS: apps reach the Service at its address.
    const service = await operator.call("kubectl get service trial --output jsonpath='{.spec.clusterIP}'");
    const host = `--reuse-values --set server.env.APPSERVER_INTERNAL_HOST=${service}`;
    await operator.call(`helm upgrade trial ${chart} --wait --timeout 10m ${host}`);
    await operator.call("kubectl rollout status statefulset/trial --timeout 5m");
    assert.match(await operator.call("kubectl logs trial-0"), /#token=/);
  });

  test("an app is deployed, and reaches the platform and its database", { timeout: timeoutMs }, async () => {
    const name = `com.example.probe${operator.id}`;
    const digest = await pushNodeImage(`${operator.registry}/${name}:latest`, source);
    const address = await at();
    const token = await administratorOf(await operator.call("kubectl logs trial-0"), `http://${address}:8080`);
    const client = createPlatformClient({ grpcUrl: `http://${address}:9090`, token });
    await registerApp(client, await testApp({ name, web_app: { api: containerApi(name) }, image_digest: digest }));
    await client.marketplace.installApp({ name });
    const reached = () => contentsOf(`http://${address}:8080/api/apps/${name}/reached`);
    const seen = await eventually(reached, undefined, { timeoutMs: 120_000, what: `${name} is served` });
    assert.deepEqual(JSON.parse(seen), { http: 200, grpc: "reached", database: "reached" });
  });

  test("it ends with its data", { timeout: timeoutMs }, async () => {
    await operator.follow(section, isDeletion);
    assert.equal(await operator.call("kubectl get persistentvolumeclaims --output name"), "");
  });
});
