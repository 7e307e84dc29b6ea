import type { PageContext } from "@appserver/sdk/page";
import { PageLink, Shown, useLoaded } from "@appserver/sdk/react";
import { type Check, managePermission, type Service } from "../src/service.ts";

export function ServiceList({ page }: { readonly page: PageContext }) {
  const [loaded] = useLoaded<{ readonly services: readonly Service[] }>(page, "/services");
  return (
    <>
      <header className="row spread">
        <h1>Status</h1>
        {page.can(managePermission) && (
          <PageLink page={page} to="/new" className="button primary">
            New service
          </PageLink>
        )}
      </header>
      <Shown loaded={loaded}>{({ services }) => <Services page={page} services={services} />}</Shown>
    </>
  );
}

function Services({ page, services }: { readonly page: PageContext; readonly services: readonly Service[] }) {
  if (services.length === 0) return <p className="empty">No service is watched yet.</p>;
  const down = services.filter(({ last }) => last?.isUp === false);
  return (
    <>
      <p role="status">{down.length === 0 ? "All services are up." : `${down.map(({ name }) => name).join(", ")}: down.`}</p>
      <div className="scroll">
        <table>
          <thead>
            <tr>
              <th>Service</th>
              <th>State</th>
              <th>Last 24 hours</th>
              <th>Response</th>
              <th>Checked</th>
            </tr>
          </thead>
          <tbody>
            {services.map(({ id, name, last, share }) => (
              <tr key={id}>
                <td>
                  <PageLink page={page} to={`/${id}`}>
                    {name}
                  </PageLink>
                </td>
                <td>
                  <State check={last} />
                </td>
                <td>{share !== undefined && percentOf(page, share)}</td>
                <td>{last && `${last.ms.toLocaleString(page.locale)} ms`}</td>
                <td>{last && new Date(last.checkedAt).toLocaleTimeString(page.locale, { timeStyle: "short" })}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}

export function State({ check }: { readonly check: Check | undefined }) {
  const [tone, text] = check === undefined ? ["neutral", "Not checked"] : check.isUp ? ["good", "Up"] : ["bad", "Down"];
  return (
    <span className="badge" data-tone={tone}>
      {text}
    </span>
  );
}

export function percentOf({ locale }: PageContext, share: number): string {
  // 99.99 % is not all.
  const digits = Math.floor(share * 1_000) / 1_000;
  return new Intl.NumberFormat(locale, { style: "percent", maximumFractionDigits: 1 }).format(digits);
}
