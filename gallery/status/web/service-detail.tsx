import type { PageContext } from "@appserver/sdk/page";
import { callBackend, PageLink, Shown, useLoaded, WorkButton } from "@appserver/sdk/react";
import { managePermission, type ServiceHistory } from "../src/service.ts";
import { percentOf, State } from "./service-list.tsx";

export function ServiceDetail({ page, id }: { readonly page: PageContext; readonly id: string }) {
  const path = `/services/${encodeURIComponent(id)}`;
  const [loaded] = useLoaded<ServiceHistory>(page, path);
  const remove = async (): Promise<void> => {
    await callBackend(page, "DELETE", path);
    page.navigate("", { replace: true });
  };
  return (
    <div className="narrow stack">
      <PageLink page={page} to="">
        All services
      </PageLink>
      <Shown loaded={loaded}>
        {(service) => (
          <>
            <header className="row spread">
              <h1>{service.name}</h1>
              <State check={service.last} />
            </header>
            {service.url !== undefined && <code>{service.url}</code>}
            <Changes page={page} service={service} />
            <Hours page={page} service={service} />
            {page.can(managePermission) && (
              <div className="row">
                <WorkButton page={page} className="danger" work={remove}>
                  Stop watching
                </WorkButton>
              </div>
            )}
          </>
        )}
      </Shown>
    </div>
  );
}

interface Part {
  readonly page: PageContext;
  readonly service: ServiceHistory;
}

function Changes({ page, service: { changes } }: Part) {
  if (changes.length === 0) return <p className="empty">The first check is still to come.</p>;
  return (
    <section className="card stack">
      <h2>Changes</h2>
      {changes.map((check) => (
        <div key={check.checkedAt} className="row">
          <State check={check} />
          <span>{new Date(check.checkedAt).toLocaleString(page.locale, { dateStyle: "medium", timeStyle: "short" })}</span>
          {check.problem !== undefined && <span className="dim">{check.problem}</span>}
        </div>
      ))}
    </section>
  );
}

function Hours({ page, service: { hours } }: Part) {
  if (hours.length === 0) return null;
  return (
    <div className="scroll">
      <table>
        <caption>Last 24 hours</caption>
        <thead>
          <tr>
            <th>From</th>
            <th>Checks</th>
            <th>Failed</th>
            <th>Up</th>
          </tr>
        </thead>
        <tbody>
          {hours.map(({ from, checks, failures }) => (
            <tr key={from}>
              <td>{new Date(from).toLocaleTimeString(page.locale, { timeStyle: "short" })}</td>
              <td>{checks}</td>
              <td>{failures}</td>
              <td>{percentOf(page, 1 - failures / checks)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
