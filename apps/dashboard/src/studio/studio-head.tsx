import { Button, TextInput } from '@mantine/core';
import { Link, useNavigate, useRouter } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { ActionButton, OpenButton } from '../parts/buttons.tsx';
import { CodeButton } from '../parts/code-button.tsx';
import { textInput } from '../parts/forms.tsx';
import { IconHierarchy2, IconPlayerPlay, IconPlus, IconHistory } from '../parts/icons.ts';
import { shortHost } from '../format/format.ts';
import { MADE_PARSER } from '../targets/target.ts';
import { parserSnippets, schemaSnippets } from './studio-code.ts';
import styles from './studio.module.css';
import type { StudioState } from './use-studio-state.ts';

/** Opened by few, so the studio does not wait for its code. */
const FollowDialog = lazy(async () => ({
  default: (await import('./follow/follow-dialog.tsx')).FollowDialog,
}));

/** Links from a parser to its versions, samples and health. */
function RecordLinks({ parserId, version }: { parserId: string; version: number }) {
  return (
    <>
      <Link to="/parsers/$parserId/versions" params={{ parserId }} className="row small">
        <IconHistory size={14} /> v{version}
      </Link>
      <Link to="/parsers/$parserId/samples" params={{ parserId }} className="small">
        Samples
      </Link>
      <Link to="/parsers/$parserId/health" params={{ parserId }} className="small">
        Health
      </Link>
    </>
  );
}

/** What follows when the parser is saved: the page that asked for it, or a run. */
function NextStep({ parserId, studio: { saving, search } }: { parserId: string; studio: StudioState }) {
  const { navigate, history } = useRouter();
  const { back } = search;
  return (
    <ActionButton
      icon={IconPlayerPlay}
      isMain={!saving.isChanged}
      onClick={() =>
        back === undefined
          ? void navigate({ to: '/runs/new', search: { parser: parserId } })
          : history.push(back.replaceAll(MADE_PARSER, parserId))
      }
    >
      {back === undefined ? 'Run over many pages' : 'Use it in the crawl'}
    </ActionButton>
  );
}

interface StudioHeadProps {
  studio: StudioState;
  isAdding: boolean;
  onAdding: (isAdding: boolean) => void;
}

/** The parser's name, and what can be done with it. */
export function StudioHead({ studio, isAdding, onAdding }: StudioHeadProps) {
  const { record, name, draft, page, fieldCount, saving, save } = studio;
  const navigate = useNavigate();
  return (
    <header className="page-head">
      <nav aria-label="Breadcrumb" className="crumb row">
        <Link to="/parsers">Parsers</Link>
        <span aria-hidden>/</span>
      </nav>
      <h1 className="visually-hidden">{name || 'New parser'}</h1>
      <TextInput
        aria-label="Name of the parser"
        placeholder={page ? shortHost(page.url) || 'new parser' : 'Name'}
        {...textInput(name, studio.rename)}
        className={styles.name}
      />
      {record && <RecordLinks parserId={record.id} version={record.version} />}
      {saving.isUnsaved && <span className="small status attention">not saved</span>}
      <div className="grow" />
      <div className="row wrap">
        {page && !record && (
          <Button variant="subtle" color="gray" onClick={() => void navigate({ to: '/parsers/new' })}>
            Start another
          </Button>
        )}
        {page && (
          <ActionButton icon={IconPlus} aria-expanded={isAdding} onClick={() => onAdding(!isAdding)}>
            Page
          </ActionButton>
        )}
        <CodeButton
          title="Code"
          disabled={fieldCount === 0}
          // The saved parser's call, or what is not saved yet.
          snippets={
            record && !saving.isChanged
              ? parserSnippets(location.origin, record.id, page?.url ?? '')
              : schemaSnippets(location.origin, draft, page?.url ?? '')
          }
        />
        {record && page && !saving.isChanged && (
          <OpenButton
            icon={IconHierarchy2}
            dialog={(close) => (
              <Suspense fallback={null}>
                <FollowDialog studio={studio} record={record} onClose={close} />
              </Suspense>
            )}
          >
            Next page, details
          </OpenButton>
        )}
        {record && <NextStep parserId={record.id} studio={studio} />}
        <Button disabled={!saving.canSave} loading={save.isPending} onClick={studio.trySave}>
          {saving.label}
        </Button>
      </div>
    </header>
  );
}
