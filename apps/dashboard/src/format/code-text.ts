/** Texts inside of code to copy. Pages and accounts choose them, so each is a literal that can't end early. */

/** Characters that a terminal or editor would obey or hide. JSON has the others escaped. */
const HIDDEN = /[\u007F-\u009F\u200B-\u200F\u2028-\u202E\u2060-\u2069\uFEFF]/g;

function escapeCharacter(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** A value as JSON of visible characters. A text is also a literal of TypeScript and Python. */
export function codeText(value: unknown, indent?: number): string {
  return JSON.stringify(value, null, indent).replaceAll(HIDDEN, escapeCharacter);
}

/** A word of a shell, whatever it contains. */
export function shellText(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/**
 * A request in Python that prints the answer.
 * @param given what is sent, as an argument: `params={…}`
 */
export function pythonRequest(method: 'get' | 'post', url: string, given: string): string {
  return `answer = requests.${method}(
    ${codeText(url)},
    ${given},
    headers={"X-API-Key": os.environ["GLEANER_API_KEY"]},
)
answer.raise_for_status()
print(answer.json())`;
}
