import { cookieTokenPrefix } from "@appserver/contracts/command-line";
import { AppError, defineDriver } from "@appserver/driver";

export const driver = defineDriver({
  family: "identity",
  version: 1,
  name: "dev",
  doc: "the users of `appserver dev`, who have no passwords",
  devOnly: "its users have no passwords",
  open: async (_options, { developmentSecret: secret, clock }) => {
    if (secret === undefined) throw new Error("the driver is for appserver dev, which has a secret for its sessions");
    const { DevIdentity } = await import("./dev-identity.ts");
    const { devUsers } = await import("./dev-user.ts");
    const provider = new DevIdentity({ environment: "dev", secret, clock });
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
        throw new AppError("INVALID_REQUEST", "development users have no e-mail addresses; give the identity's id instead");
      },
    };
  },
});
