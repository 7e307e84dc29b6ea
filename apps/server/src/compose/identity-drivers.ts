import { cookieTokenPrefix } from "@appserver/contracts/command-line";
import type { DevUser } from "@appserver/identity-dev";
import type { Clock, Component, Lifecycle } from "@appserver/kernel";
import type { IdentityProvider, SelfService } from "@appserver/kernel/ports";
import { ConfigError, type SectionValues } from "@appserver/options";
import type { authSection, authServicesSection, identitySection } from "@appserver/options/sections";
import type { DevLogin, SignIn } from "@appserver/transports/http";

type IdentityDriverName = SectionValues<typeof identitySection>["driver"];

/** The options of every driver. Each reads its own. */
export interface IdentityConfig {
  readonly identity: SectionValues<typeof identitySection>;
  readonly auth: Pick<SectionValues<typeof authSection>, "sessionCookieName">;
  readonly authServices: Pick<
    SectionValues<typeof authServicesSection>,
    "kratosPublicUrl" | "kratosBrowserUrl" | "kratosAdminUrl"
  >;
  /** The platform's URL for browsers. Default: that of each request. */
  readonly ownUrl?: string | undefined;
  /** Only `appserver dev` has it. */
  readonly development?: { readonly sessionSecret: Uint8Array; readonly clock: Clock };
}

/** An identity provider, with what browsers and operators need of it. */
export interface Identity {
  readonly provider: IdentityProvider & Component;
  readonly signIn: SignIn;
  /** Set if the pages of the sign-in are those of the console: their requests are passed on to it. */
  readonly selfService?: SelfService & Component;
  /** Set if a page of the platform signs users in without a password. */
  readonly devLogin?: DevLogin;
  /** Users that exist from the start. */
  readonly users: readonly DevUser[];
  /** Returns the id of the only user who signs in with this address. Throws NOT_FOUND, or ConfigError if it cannot be found out. */
  idOf(address: string): Promise<string>;
}

interface IdentityDriver {
  open(config: IdentityConfig): Promise<Identity>;
  /** The servers that backends of apps must not reach, and other default ports of them that give access to the same data. */
  servers(config: IdentityConfig): { readonly urls: readonly (string | undefined)[]; readonly otherPorts: readonly number[] };
}

/** The driver of each value of `identity.driver`, loaded on demand. */
export const identityDrivers: Readonly<Record<IdentityDriverName, IdentityDriver>> = {
  kratos: {
    open: async ({ authServices, auth: { sessionCookieName }, ownUrl }) => {
      const { kratosPublicUrl: publicUrl, kratosBrowserUrl: browserUrl, kratosAdminUrl: adminUrl } = authServices;
      if (publicUrl === undefined) throw new Error("the schema demands a URL");
      const { KratosDirectory, KratosIdentity, KratosPages, KratosSelfService } = await import("@appserver/identity-kratos");
      const { kratosSignIn } = await import("./kratos-sign-in.ts");
      return {
        provider: new KratosIdentity({ publicUrl, adminUrl, sessionCookieName }),
        signIn: kratosSignIn(new KratosPages({ publicUrl, sessionCookieName }), { browserUrl, ownUrl }),
        ...(browserUrl === undefined && { selfService: new KratosSelfService({ publicUrl }) }),
        users: [],
        idOf: async (address) => {
          if (adminUrl !== undefined) return await new KratosDirectory({ adminUrl }).idOf(address);
          throw unknownAddress("APPSERVER_KRATOS_ADMIN_URL is not set: it is needed to look up an e-mail address");
        },
      };
    },
    // Its public and its admin API.
    servers: ({ authServices }) => ({
      urls: [authServices.kratosPublicUrl, authServices.kratosAdminUrl],
      otherPorts: [4433, 4434],
    }),
  },
  dev: {
    open: async ({ development }) => {
      if (development === undefined) throw new Error("the schema demands a driver with passwords");
      const { DevIdentity, devUsers } = await import("@appserver/identity-dev");
      const provider = new DevIdentity({ environment: "dev", secret: development.sessionSecret, clock: development.clock });
      const { sessionCookieName: cookie } = provider;
      return {
        provider,
        signIn: {
          loginUrl: ({ path }) => `/dev/login?return_to=${encodeURIComponent(path)}`,
          signOut: ({ headers: { cookie: cookies = "", authorization = "" } }, { path }) => {
            const values = cookies
              .split(/; */)
              .flatMap((each) => (each.startsWith(`${cookie}=`) ? each.slice(cookie.length + 1) : []));
            const bearer = authorization.replace(/^bearer +/i, "");
            // A token that is a browser's session begins so.
            const token = bearer.startsWith(cookieTokenPrefix) ? bearer.slice(cookieTokenPrefix.length) : bearer;
            for (const session of [...values, token]) provider.end(session);
            return { location: path, cookies: [`${cookie}=; HttpOnly; SameSite=Lax; Path=/; Max-Age=0`] };
          },
        },
        devLogin: {
          loginPage: (returnTo) => provider.loginPage(returnTo),
          login: (user) => ({ token: provider.login(user).token, cookie }),
        },
        users: devUsers,
        idOf: async () => {
          throw unknownAddress("development users have no e-mail addresses");
        },
      };
    },
    servers: () => ({ urls: [], otherPorts: [] }),
  },
};

/** Returns what browsers need of the provider at the HTTP listener. */
export function signInOptions({ signIn, selfService, devLogin }: Identity, hasConsole: boolean) {
  return { hasSelfService: selfService !== undefined, ...(hasConsole && { signIn }), ...(devLogin && { devLogin }) };
}

/** Opens the provider that the configuration names. It connects when it is used. */
export function openIdentity(config: IdentityConfig): Promise<Identity> {
  return identityDrivers[config.identity.driver].open(config);
}

/** Starts the provider. `lifecycle` stops it. */
export async function useIdentity(lifecycle: Lifecycle, { provider, selfService }: Identity): Promise<IdentityProvider> {
  if (selfService) await lifecycle.use(selfService);
  return await lifecycle.use(provider);
}

function unknownAddress(reason: string): ConfigError {
  return new ConfigError(`${reason}; give the identity's id instead`);
}
