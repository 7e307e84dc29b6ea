import { AppError, defineDriver, endpointsOf, types } from "@appserver/driver";

/** Its public and its admin API. */
const siblingPorts = [4433, 4434];

export const driver = defineDriver({
  family: "identity",
  version: 1,
  name: "kratos",
  doc: "Ory Kratos",
  options: {
    yaml: "auth_services",
    doc: "Ory Kratos (docs/interface/permissions.md#sessions).",
    options: {
      publicUrl: {
        env: "APPSERVER_KRATOS_PUBLIC_URL",
        yaml: "kratos_public_url",
        type: types.url("http", "https"),
        required: true,
        doc: "Public API of Kratos, which validates sessions",
      },
      browserUrl: {
        env: "APPSERVER_KRATOS_BROWSER_URL",
        yaml: "kratos_browser_url",
        type: types.url("https", "http"),
        doc: "URL of that API for browsers, if they use it directly and sign in on other pages than those of the console. Without it, browsers reach Kratos through the platform",
      },
      adminUrl: {
        env: "APPSERVER_KRATOS_ADMIN_URL",
        yaml: "kratos_admin_url",
        type: types.url("http", "https"),
        doc: "Admin API of Kratos. It gives the names of users, and finds them by e-mail address; sessions are checked without it",
      },
    },
  },
  endpoints: ({ publicUrl, adminUrl }) => endpointsOf([publicUrl, adminUrl], siblingPorts),
  open: async ({ publicUrl, browserUrl, adminUrl }, { sessionCookieName = "ory_kratos_session", ownUrl }) => {
    const { KratosDirectory, KratosIdentity, KratosPages, KratosSelfService } = await import("./index.ts");
    const { kratosSignIn } = await import("./kratos-sign-in.ts");
    return {
      provider: new KratosIdentity({ publicUrl, adminUrl, sessionCookieName }),
      signIn: kratosSignIn(new KratosPages({ publicUrl, sessionCookieName }), { browserUrl, ownUrl }),
      ...(browserUrl === undefined && { selfService: new KratosSelfService({ publicUrl }) }),
      users: [],
      idOf: async (address) => {
        if (adminUrl !== undefined) return await new KratosDirectory({ adminUrl }).idOf(address);
        const reason = "APPSERVER_KRATOS_ADMIN_URL is not set: it is needed to look up an e-mail address";
        throw new AppError("INVALID_REQUEST", `${reason}; give the identity's id instead`);
      },
    };
  },
});
