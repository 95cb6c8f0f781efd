/**
 * What this version's workers can do, as a number. Raise it when work can hold something that earlier workers would do
 * wrongly, such as a new field of a scrape_config, and set `needs` of the configurations that use it. During an update
 * earlier workers give such work back to the queue, and later ones take it.
 */
export const WORK_LEVEL = 1;

/** The work needs a worker of a higher level. Its delivery must go back to the queue. */
export class BeyondWorker extends Error {
  override name = 'BeyondWorker';
  constructor() {
    super('the work needs a worker of a later version');
  }
}

/** How long such a delivery waits in the queue, so that another worker takes it. */
export const BEYOND_PUT_BACK_MS = 250;
