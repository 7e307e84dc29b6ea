import { ContainerError, type ContainerSpec } from "@appserver/kernel/ports";

/** Name of the container that keeps an app from its start until the policies of its pod apply. */
export const gateContainer = "network-gate";

/** The program in the image of the platform (deploy/Dockerfile). */
export const gateProgram = "/app/drivers/containers/kubernetes/bin/network-gate.mjs";

/** Returns the arguments with which the program waits in front of an app. Throws if the app does not know the platform. */
export function waitArguments({ name, environment }: Pick<ContainerSpec, "name" | "environment">): readonly string[] {
  const url = environment["APPSERVER_HTTP_URL"] ?? environment["APPSERVER_GRAPHQL_URL"] ?? "";
  if (!URL.canParse(url))
    throw new ContainerError("refused", `${name}: the gate needs the platform's APPSERVER_HTTP_URL, got ${url || "none"}`);
  const { hostname, port, protocol } = new URL(url);
  return ["wait", hostname.replace(/^\[(.*)\]$/, "$1"), port || (protocol === "https:" ? "443" : "80")];
}

/** Returns a container of the program, with no rights. */
export function gateContainerOf(image: string, ...args: readonly string[]): object {
  return {
    name: gateContainer,
    image,
    imagePullPolicy: "IfNotPresent",
    command: ["/usr/local/bin/node", gateProgram, ...args],
    // What it printed becomes the reason why the pod does not start.
    terminationMessagePolicy: "FallbackToLogsOnError",
    resources: { requests: { cpu: "10m", memory: "64Mi" }, limits: { memory: "64Mi", "ephemeral-storage": "16Mi" } },
    securityContext: {
      allowPrivilegeEscalation: false,
      privileged: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ["ALL"] },
    },
  };
}
