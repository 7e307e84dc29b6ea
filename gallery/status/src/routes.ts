import { type AppHandler, HttpError } from "@appserver/sdk";
import { checkOne, type Token } from "./check.ts";
import { managePermission, maxName, maxServices, maxUrl, type Service, type ServiceHistory } from "./service.ts";
import type { Services, StoredService } from "./services.ts";

/** The API. app.yaml has the permission of each route. `token` returns the present one. */
export function routes(services: Services, token: () => Token): Readonly<Record<string, AppHandler>> {
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
    "GET /services/{id}": async (call) => {
      const service = await services.find(call.idParam("id"));
      if (!service) throw notFound();
      const [hours, changes] = await Promise.all([services.hours(service.id), services.changes(service.id)]);
      const history: ServiceHistory = { ...shown(service, await call.can(managePermission)), hours, changes };
      return { json: history };
    },
    "DELETE /services/{id}": async (call) => {
      if (!(await services.remove(call.idParam("id")))) throw notFound();
      return { status: 204 };
    },
  };
}

function shown({ id, name, url, last, share }: StoredService, isManager: boolean): Service {
  return { id, name, ...(isManager && { url }), ...(last && { last }), ...(share !== null && { share }) };
}

function notFound(): HttpError {
  return new HttpError(404, "there is no such service");
}
