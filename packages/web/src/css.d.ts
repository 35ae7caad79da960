/** The bundler takes styles along; they give nothing to a script. */
declare module '*.css';
