import { defineDriver, types } from "@appserver/driver";
import { maxReplicas } from "./replicas.ts";

export const driver = defineDriver({
  family: "containers",
  version: 1,
  name: "docker",
  doc: "the Docker Engine, or Podman",
  maxReplicas,
  options: {
    yaml: "docker",
    doc: "The container engine (docs/interface/containers.md#drivers).",
    options: {
      socketPath: {
        env: "APPSERVER_DOCKER_SOCKET_PATH",
        yaml: "socket_path",
        type: types.text,
        default: "/var/run/docker.sock",
        doc: "Socket of the Docker Engine, or of Podman",
      },
    },
  },
  open: async ({ socketPath }, { pullPolicy }) => {
    const { DockerRuntime } = await import("./docker-runtime.ts");
    return new DockerRuntime({ socketPath, pullPolicy });
  },
  makeImage: async ({ socketPath }, source) => {
    const { makeAppImage } = await import("./images/make-app-image.ts");
    await makeAppImage({ socketPath, ...source });
  },
  unreachableHint: ({ socketPath }) =>
    `The socket is ${socketPath}. Is an engine running, and may this user open its socket (often: the group docker)? ` +
    "APPSERVER_DOCKER_SOCKET_PATH names another socket.",
});
