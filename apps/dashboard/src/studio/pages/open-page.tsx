import { Button, Checkbox, FileButton, Popover, Textarea, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { plural } from '../../format/format.ts';
import { Failure } from '../../parts/page.tsx';
import type { KeptPage } from '../extraction/protocol.ts';
import { completeUrl, fetchPage, pastedPage } from './fetch-page.ts';
import styles from './pages.module.css';

const PLAIN_CREDITS = 1;
const BROWSER_CREDITS = 5;

interface OpenPageProps {
  onOpened: (page: KeptPage) => void;
  /** The address that stands there at first. */
  initialUrl?: string | undefined;
  /** Larger, for an otherwise empty page. */
  isLarge?: boolean;
}

interface PasteHtmlProps {
  size: 'xs' | 'md';
  onHtml: (html: string) => void;
}

/** Takes the HTML of a page from the clipboard or a file. */
function PasteHtml({ size, onHtml }: PasteHtmlProps) {
  const [html, setHtml] = useState('');
  const [isOpen, { close, toggle }] = useDisclosure(false);
  const open = (text: string): void => {
    onHtml(text);
    setHtml('');
    close();
  };
  return (
    <Popover opened={isOpen} onClose={close} width={360} position="bottom-end" trapFocus>
      <Popover.Target>
        <Button variant="default" size={size} onClick={toggle}>
          Paste HTML
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        <div className="stack">
          <Textarea
            label="HTML of a page"
            description="Free: nothing is fetched."
            value={html}
            onChange={(event) => setHtml(event.currentTarget.value)}
            rows={8}
            className="mono"
            data-autofocus
          />
          <div className="row">
            <Button disabled={html.trim() === ''} onClick={() => open(html)}>
              Open it
            </Button>
            <FileButton accept=".html,.htm,text/html" onChange={(file) => void file?.text().then(open)}>
              {(props) => (
                <Button variant="default" {...props}>
                  Choose a file
                </Button>
              )}
            </FileButton>
          </div>
        </div>
      </Popover.Dropdown>
    </Popover>
  );
}

/** Opens a page by its address, or from pasted HTML. */
export function OpenPage({ onOpened, initialUrl = '', isLarge = false }: OpenPageProps) {
  const [url, setUrl] = useState(initialUrl);
  const [usesBrowser, setUsesBrowser] = useState(false);
  const open = useMutation({
    mutationFn: () => fetchPage(completeUrl(url), usesBrowser ? { useBrowser: true } : {}),
    onSuccess: (page) => {
      setUrl('');
      onOpened(page);
    },
  });
  const isEmpty = url.trim() === '';
  const size = isLarge ? 'md' : 'xs';
  return (
    <div className={`stack ${styles.open}`}>
      <form
        className="row wrap"
        onSubmit={(event) => {
          event.preventDefault();
          if (!isEmpty) open.mutate();
        }}
      >
        <TextInput
          size={size}
          aria-label="Address of a page"
          placeholder="Paste a link to a page"
          value={url}
          onChange={(event) => setUrl(event.currentTarget.value)}
          className={`grow ${styles.address}`}
          type="text"
          inputMode="url"
          data-search
        />
        <Button type="submit" size={size} loading={open.isPending} disabled={isEmpty}>
          Open for {plural(usesBrowser ? BROWSER_CREDITS : PLAIN_CREDITS, 'credit')}
        </Button>
        <PasteHtml
          size={size}
          onHtml={(html) => onOpened(pastedPage(html, isEmpty ? '' : completeUrl(url)))}
        />
      </form>
      <Checkbox
        label="Run the page’s scripts in a browser first"
        checked={usesBrowser}
        onChange={(event) => setUsesBrowser(event.currentTarget.checked)}
      />
      {open.error !== null && <Failure error={open.error} />}
    </div>
  );
}
