import type { PageContext } from "@appserver/sdk/page";
import { callBackend, PageLink, Shown, useLoaded, WorkButton } from "@appserver/sdk/react";
import { editPermission, type Link } from "../src/link.ts";

export function LinkList({ page }: { readonly page: PageContext }) {
  const [loaded, reload] = useLoaded<{ readonly links: readonly Link[] }>(page, "/links");
  const remove = async (id: number): Promise<void> => {
    await callBackend(page, "DELETE", `/links/${id}`);
    reload();
  };
  return (
    <>
      <header className="row spread">
        <h1>Links</h1>
        {page.can(editPermission) && (
          <PageLink page={page} to="/new" className="button primary">
            New link
          </PageLink>
        )}
      </header>
      <Shown loaded={loaded}>
        {({ links }) =>
          links.length === 0 ? (
            <p className="empty">There is no link yet.</p>
          ) : (
            [...Map.groupBy(links, ({ group }) => group)].map(([group, ofGroup]) => (
              <Group key={group} page={page} title={group} links={ofGroup} remove={remove} />
            ))
          )
        }
      </Shown>
    </>
  );
}

function Group(props: {
  readonly page: PageContext;
  readonly title: string;
  readonly links: readonly Link[];
  readonly remove: (id: number) => Promise<void>;
}) {
  const { page, title, links, remove } = props;
  return (
    <section className="card stack" aria-label={title}>
      <h2>{title}</h2>
      <table>
        <tbody>
          {links.map((link) => (
            <tr key={link.id}>
              <td>
                <a href={link.url} target="_blank" rel="noopener noreferrer">
                  {link.title}
                </a>
              </td>
              <td className="dim">{new URL(link.url).host}</td>
              {page.can(editPermission) && (
                <td>
                  <WorkButton page={page} className="link" work={() => remove(link.id)}>
                    Remove
                  </WorkButton>
                </td>
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
