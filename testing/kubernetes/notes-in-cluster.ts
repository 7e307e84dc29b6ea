import { bundleApp } from "@appserver/containers-docker/images";
import { createPlatformClient, registerApp } from "@appserver/sdk";
import { eventually } from "@appserver/testing/kit";
import { pushNodeImage } from "@appserver/testing/kit/kubernetes";
import { quietPort } from "@appserver/testing/kit/production";
import { notes, Releases } from "../faults/switches/releases.ts";
import { ConsolePage } from "../production/e2e/console/console-page.ts";
import type { ClusterOperator } from "./cluster-operator.ts";
import { ada } from "./person.ts";

/** An address of the platform, and what its users have. */
export interface Reached {
  readonly httpUrl: string;
  readonly grpcUrl: string;
  readonly registrationToken: string;
  /** Of the administrator. */
  readonly token: string;
}

/** Installs the sample app with two instances, as its developer and the administrator do. */
export async function installNotes(
  operator: ClusterOperator,
  { httpUrl, grpcUrl, registrationToken, token }: Reached,
): Promise<void> {
  const releases = await Releases.create();
  try {
    const { app, folder } = await releases.notes("1.0.0");
    await pushNodeImage(`${operator.registry}/${notes}:latest`, await bundleApp(folder, "src/server.ts"));
    await registerApp(createPlatformClient({ grpcUrl: httpUrl }), app, registrationToken);
  } finally {
    await releases.remove();
  }
  const platform = createPlatformClient({ grpcUrl, token });
  await platform.marketplace.installApp({ name: notes });
  const env = `APPSERVER_HTTP_URL=${httpUrl} APPSERVER_GRPC_URL=${grpcUrl} APPSERVER_TOKEN=${token}`;
  await operator.call(`env ${env} ${process.execPath} bin/appctl.mjs settings set ${notes} containers.replicas=2`);
}

export async function uninstallNotes(operator: ClusterOperator, { grpcUrl, token }: Reached): Promise<void> {
  await createPlatformClient({ grpcUrl, token }).marketplace.uninstallApp({ name: notes, purgeData: true });
  const left = `kubectl get deployments --namespace ${operator.namespace}-apps --output name | grep --count ${notes.replaceAll(".", "-")} || true`;
  await eventually(
    () => operator.call(left),
    (count) => count === "0",
    { timeoutMs: 120_000, what: `${notes} has left` },
  );
}

/** A forwarded port, which prints its address. */
function forward(port: number): string {
  return `
    kubectl port-forward service/appserver ${port}:8080 > /dev/null 2>&1 &
    forward=$!
    curl -fsS --retry 20 --retry-delay 1 --retry-connrefused http://127.0.0.1:${port}/ready > /dev/null
    echo http://127.0.0.1:${port}`;
}

/** Opens the console through a forwarded port, as the guide says, and waits until it shows an instance on each machine. Takes pictures. */
export async function lookAtInstances(operator: ClusterOperator): Promise<void> {
  const url = await operator.call(forward(await quietPort()));
  const console = await ConsolePage.launch(url);
  try {
    await console.visit(`/console/apps/${notes}`);
    await console.page.getByLabel("E-mail address").fill(ada.email);
    await console.page.getByRole("textbox", { name: "Password" }).fill(ada.password);
    await console.page.keyboard.press("Enter");
    const instances = console.page.getByRole("region", { name: "Instances" });
    for (const machine of ["node1", "node2"]) await instances.getByRole("cell", { name: machine, exact: true }).waitFor();
    await instances.getByText("2 of 2 ready").waitFor();
    await console.lookAt("instances on two machines");
    await console.page.getByRole("tab", { name: "Logs" }).click();
    await console.page
      .getByRole("region", { name: `Log of ${notes}` })
      .getByText("listens on port")
      .nth(1)
      .waitFor();
    await console.lookAt("log of two instances");
  } finally {
    await console.quit();
    await operator.call("kill $forward");
  }
}
