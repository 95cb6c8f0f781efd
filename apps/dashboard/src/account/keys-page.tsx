import { useQuery } from '@tanstack/react-query';
import { sessionQuery } from '../api/session.ts';
import { CodeBlock } from '../parts/copy.tsx';
import { Page } from '../parts/page.tsx';
import { Loaded } from '../parts/states.tsx';

/** The key behind this session, and how to make and revoke others. */
export function KeysPage() {
  const session = useQuery(sessionQuery);
  return (
    <Page title="Keys" padded>
      <Loaded query={session} what="the session">
        {({ account, key }) => (
          <div className="form">
            <section className="section">
              <h2 style={{ marginBottom: 8 }}>This session</h2>
              <dl className="facts">
                <dt>Account</dt>
                <dd>
                  {account.name} <code className="soft">{account.id}</code>
                </dd>
                <dt>Signed in with</dt>
                <dd>
                  {key.name} <code className="soft">{key.shown}</code>
                </dd>
              </dl>
              <p className="soft small" style={{ marginTop: 8 }}>
                When this key is revoked, the session ends with it.
              </p>
            </section>
            <section className="section stack">
              <h2>More keys</h2>
              <p className="soft">
                Keys are made on the machine that runs Gleaner. A new one is shown once; two can overlap while
                a program changes over.
              </p>
              <CodeBlock
                label="Make a key"
                text={`npm run -s gleaner -- keys create ${account.name} --name production`}
              />
              <CodeBlock
                label="List and revoke keys"
                text={`npm run -s gleaner -- keys list ${account.name}\nnpm run -s gleaner -- keys revoke ${key.id}`}
              />
            </section>
          </div>
        )}
      </Loaded>
    </Page>
  );
}
