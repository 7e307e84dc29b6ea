import type { PageContext } from "@appserver/sdk/page";
import { PageLink, Shown, useLoaded } from "@appserver/sdk/react";
import type { Week } from "../src/rota.ts";

export function WeekList({ page }: { readonly page: PageContext }) {
  const [loaded] = useLoaded<{ readonly weeks: readonly Week[] }>(page, "/weeks");
  return (
    <>
      <h1>Rota</h1>
      <Shown loaded={loaded}>{({ weeks }) => <Weeks page={page} weeks={weeks} />}</Shown>
    </>
  );
}

function Weeks({ page, weeks }: { readonly page: PageContext; readonly weeks: readonly Week[] }) {
  return (
    <>
      {weeks.every(({ onDuty }) => !onDuty) && (
        <p className="empty">No week has a person yet. Open a week to say who is on duty: that takes the permission to plan.</p>
      )}
      <div className="scroll">
        <table>
          <thead>
            <tr>
              <th>Week</th>
              <th>On duty</th>
              <th>Swap</th>
            </tr>
          </thead>
          <tbody>
            {weeks.map((week) => (
              <tr key={week.monday}>
                <td>
                  <PageLink page={page} to={`/${week.monday}`}>
                    {daysOf(page, week.monday)}
                  </PageLink>
                </td>
                <td>{week.onDuty ? <Name page={page} week={week} /> : <span className="dim">Open</span>}</td>
                <td>{week.asked && `${week.asked.name} was asked`}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}

function Name({ page, week }: { readonly page: PageContext; readonly week: Week }) {
  if (`user:${week.onDuty?.id}` !== page.viewer.subject) return week.onDuty?.name;
  return (
    <span className="badge" data-tone="active">
      {week.onDuty?.name} (you)
    </span>
  );
}

/** The days of a week, as the viewer writes them. */
export function daysOf({ locale }: PageContext, monday: string): string {
  const sunday = new Date(monday);
  sunday.setUTCDate(sunday.getUTCDate() + 6);
  const format = new Intl.DateTimeFormat(locale, { day: "numeric", month: "short", year: "numeric", timeZone: "UTC" });
  const first = new Date(monday);
  return Number.isNaN(first.getTime()) ? monday : format.formatRange(first, sunday);
}
