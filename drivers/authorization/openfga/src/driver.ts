import { defineDriver, endpointsOf, types } from "@appserver/driver";

/** gRPC of a server gives access to the same data. */
const siblingPorts = [8081];

export const driver = defineDriver({
  family: "authorization",
  version: 1,
  name: "openfga",
  doc: "OpenFGA",
  options: {
    yaml: "auth_services",
    doc: "OpenFGA, the authorization service (docs/interface/permissions.md#model).",
    options: {
      apiUrl: {
        env: "APPSERVER_OPENFGA_API_URL",
        aliases: ["OPENFGA_API_URL"],
        yaml: "openfga_api_url",
        type: types.url("http", "https"),
        required: true,
        doc: "OpenFGA's HTTP API",
      },
      apiToken: {
        env: "APPSERVER_OPENFGA_API_TOKEN",
        aliases: ["OPENFGA_API_TOKEN"],
        yaml: "openfga_api_token",
        type: types.text,
        secret: true,
        doc: "A preshared key of OpenFGA, if it requires one",
      },
      storeId: {
        env: "APPSERVER_OPENFGA_STORE_ID",
        aliases: ["OPENFGA_STORE_ID"],
        yaml: "openfga_store_id",
        type: types.text,
        doc: "Id of the store. Default: the only store with the name `openfga_store_name`",
      },
      storeName: {
        env: "APPSERVER_OPENFGA_STORE_NAME",
        yaml: "openfga_store_name",
        type: types.text,
        default: "appserver",
        doc: "Name of the store that is found or created",
      },
      modelId: {
        env: "APPSERVER_OPENFGA_MODEL_ID",
        aliases: ["OPENFGA_MODEL_ID"],
        yaml: "openfga_model_id",
        type: types.text,
        doc: "Id of the authorization model. Default: the latest of the store",
      },
    },
  },
  endpoints: ({ apiUrl }) => endpointsOf([apiUrl], siblingPorts),
  open: async (options, context) => {
    const { OpenFgaAuthorization } = await import("./openfga-authorization.ts");
    return new OpenFgaAuthorization({ ...options, ...context });
  },
});
