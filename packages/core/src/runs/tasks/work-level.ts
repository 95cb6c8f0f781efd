/**
 * What this version's workers can do, as a number. Raise it when work can hold something that earlier workers would do
 * wrongly, such as a new field of a scrape_config, and set `needs` of the configurations that use it. During an update
 * earlier workers leave such work, and later ones take it.
 */
export const WORK_LEVEL = 5;

/** From this level on, workers know the parts of crawls. */
export const CRAWL_LEVEL = 2;

/** From this level on, workers read the sources of runs. */
export const SOURCE_LEVEL = 3;

/** From this level on, workers write values of inputs as columns. */
export const CARRY_LEVEL = 4;

/** From this level on, workers read pages by dearer ways, and keep the pace that runs ask for. */
export const WAYS_LEVEL = 5;
