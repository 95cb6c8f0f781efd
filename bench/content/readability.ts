import { Readability } from '@mozilla/readability';
import { Window } from 'happy-dom';

/** The text of the article that Mozilla's Readability finds in a page. */
export function readWithReadability(html: string): string | undefined {
  const window = new Window({
    url: 'https://example.com/',
    settings: {
      disableJavaScriptEvaluation: true,
      disableJavaScriptFileLoading: true,
      disableCSSFileLoading: true,
    },
  });
  try {
    window.document.write(html);
    return new Readability(window.document as unknown as Document).parse()?.textContent ?? undefined;
  } catch {
    return undefined;
  } finally {
    void window.happyDOM.close();
  }
}
