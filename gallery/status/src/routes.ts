import { type AppCall, type AppHandler, HttpError } from "@appserver/sdk";
import { checkOne, type Token } from "./check.ts";
import { type Check, managePermission, maxName, maxServices, maxUrl, type Service, type ServiceHistory } from "./service.ts";
import type { Services, StoredCheck, StoredService } from "./services.ts";

/** The API. app.yaml has the permission of each route. `token` returns the present one. */
export function routes(services: Services, token: () => Token): Readonly<Record<string, AppHandler>> {
  const historyOf = async (call: AppCall): Promise<ServiceHistory> => {
    const service = await found(services, call);
    const [hours, changes] = await Promise.all([services.hours(service.id), services.changes(service.id)]);
    return {
      ...shown(service, await call.can(managePermission)),
      hours: hours.map(({ from, ...counts }) => ({ ...counts, from: from.toISOString() })),
      changes: changes.map(checkOf),
    };
  };
  return {
    "GET /services": async (call) => {
      const isManager = await call.can(managePermission);
      return { json: { services: (await services.list()).map((service) => shown(service, isManager)) } };
    },
    "POST /services": async (call) => {
      const fields = await call.fields();
      const name = fields.text("name", { max: maxName });
      const url = fields.text("url", { max: maxUrl });
      if (!/^https?:\/\//.test(url) || !URL.canParse(url) || new URL(url).username !== "")
        throw new HttpError(400, "url must be an http or https address without a user name");
      const id = await services.add(name, url);
      if (id === "taken") throw new HttpError(409, "there is a service of this name");
      if (id === "full") throw new HttpError(409, `there are ${maxServices} services, which is the most`);
      await checkOne(services, id, url, token());
      return { status: 201, json: { id } };
    },
    "GET /services/{id}": async (call) => ({ json: await historyOf(call) }),
    "DELETE /services/{id}": async (call) => {
      if (!(await services.remove(idOf(call)))) throw notFound();
      return { status: 204 };
    },
    "POST /services/{id}/check": async (call) => {
      const { id, url } = await found(services, call);
      await checkOne(services, id, url, token());
      return { json: await historyOf(call) };
    },
  };
}

async function found(services: Services, call: AppCall): Promise<StoredService> {
  const service = await services.find(idOf(call));
  if (!service) throw notFound();
  return service;
}

function shown({ id, name, url, last, share }: StoredService, isManager: boolean): Service {
  return { id, name, ...(isManager && { url }), ...(last && { last: checkOf(last) }), ...(share !== null && { share }) };
}

function checkOf({ checkedAt, isUp, ms, problem }: StoredCheck): Check {
  return { checkedAt: new Date(checkedAt).toISOString(), isUp, ms, ...(problem !== null && { problem }) };
}

/** The database refuses larger numbers. */
function idOf({ params: { id = "" } }: AppCall): number {
  if (!/^[1-9]\d{0,8}$/.test(id)) throw notFound();
  return Number(id);
}

function notFound(): HttpError {
  return new HttpError(404, "there is no such service");
}
