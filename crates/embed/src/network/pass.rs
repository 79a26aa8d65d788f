//! The network: token numbers in, one vector a text out.

use std::ops::Range;

use fearless_simd::Level;

use super::attention::{self, Room, Views};
use super::matrix::{Matrix, Strip, expand_row};
use crate::container::{BLOCK, BLOCK_BYTES, Container, Shape};
use crate::error::Result;
use crate::math::{self, Norm};

/// An encoder of the BERT family with 4-bit weights.
#[derive(Debug)]
pub(crate) struct Network {
    shape: Shape,
    level: Level,
    /// `Q4_0` rows, one for each piece.
    words: Vec<u8>,
    /// For each position, with the vector of the first kind of text added.
    positions: Vec<f32>,
    entry: Norm,
    layers: Vec<Layer>,
}

#[derive(Debug)]
struct Layer {
    query: Matrix,
    key: Matrix,
    value: Matrix,
    output: Matrix,
    after_attention: Norm,
    widen: Matrix,
    narrow: Matrix,
    after_inner: Norm,
}

/// Everything a pass writes to; kept between the layers and thrown away after the pass.
struct Scratch {
    query: Vec<f32>,
    key: Vec<f32>,
    value: Vec<f32>,
    seen: Vec<f32>,
    inner: Vec<f32>,
    strip: Strip,
    room: Room,
}

impl Network {
    /// Takes the weights over, laid out for speed; the word vectors come later, by [`Network::keep_words`].
    pub(crate) fn new(file: &Container<'_>) -> Result<Self> {
        let shape = file.shape;
        let width = shape.width;
        let mut positions = file.floats("emb.pos", shape.positions * width)?;
        let kinds = file.floats("emb.type", shape.kinds * width)?;
        for row in positions.chunks_exact_mut(width) {
            row.iter_mut().zip(&kinds).for_each(|(number, more)| *number += more);
        }
        Ok(Self {
            shape,
            level: Level::new(),
            words: Vec::new(),
            positions,
            entry: norm(file, "emb.ln")?,
            layers: (0..shape.layers).map(|at| Layer::new(file, at)).collect::<Result<_>>()?,
        })
    }

    /// Cuts the file down to its word vectors, in place: they are most of it, and a second copy
    /// would double what loading needs.
    pub(crate) fn keep_words(&mut self, mut file: Vec<u8>, words: Range<usize>) {
        let length = words.len();
        file.copy_within(words, 0);
        file.truncate(length);
        file.shrink_to_fit();
        self.words = file;
    }

    pub(crate) fn shape(&self) -> Shape {
        self.shape
    }

    /// The mean state of each text's tokens; texts stand one after the other in `tokens`, none is
    /// longer than the model's positions.
    pub(crate) fn run(&self, tokens: &[u32], texts: &[Range<usize>]) -> Vec<Vec<f32>> {
        let width = self.shape.width;
        let mut x = vec![0.0; tokens.len() * width];
        for (token, row) in tokens.iter().zip(x.chunks_exact_mut(width)) {
            let bytes = width / BLOCK * BLOCK_BYTES;
            expand_row(&self.words[*token as usize * bytes..][..bytes], row);
        }
        let mut places = vec![0.0; x.len()];
        for text in texts {
            places[text.start * width..text.end * width]
                .copy_from_slice(&self.positions[..text.len() * width]);
        }
        self.entry.add(self.level, &mut x, &places);
        let mut scratch = Scratch::new(tokens.len(), self.shape);
        for layer in &self.layers {
            layer.run(self.level, width, texts, &mut x, &mut scratch);
        }
        texts.iter().map(|text| mean(&x[text.start * width..text.end * width], width)).collect()
    }
}

impl Layer {
    fn new(file: &Container<'_>, at: usize) -> Result<Self> {
        let Shape { width, inner, .. } = file.shape;
        let matrix = |name: &str, inputs: usize, outputs: usize| -> Result<Matrix> {
            let bias = file.floats(&format!("l{at}.{name}.b"), outputs)?;
            let rows = file.quantised(&format!("l{at}.{name}.w"), outputs, inputs)?;
            Ok(Matrix::new(rows, inputs, &bias))
        };
        Ok(Self {
            query: matrix("q", width, width)?,
            key: matrix("k", width, width)?,
            value: matrix("v", width, width)?,
            output: matrix("ao", width, width)?,
            after_attention: norm(file, &format!("l{at}.aln"))?,
            widen: matrix("fi", width, inner)?,
            narrow: matrix("fo", inner, width)?,
            after_inner: norm(file, &format!("l{at}.oln"))?,
        })
    }

    fn run(
        &self,
        level: Level,
        width: usize,
        texts: &[Range<usize>],
        x: &mut [f32],
        scratch: &mut Scratch,
    ) {
        let Scratch { query, key, value, seen, inner, strip, room } = scratch;
        self.query.apply(level, x, query, strip);
        self.key.apply(level, x, key, strip);
        self.value.apply(level, x, value, strip);
        attention::attend(level, Views { query, key, value, width, texts }, seen, room);
        // The query's room is free again.
        self.output.apply(level, seen, query, strip);
        self.after_attention.add(level, x, query);
        self.widen.apply(level, x, inner, strip);
        math::gelu(level, inner);
        self.narrow.apply(level, inner, query, strip);
        self.after_inner.add(level, x, query);
    }
}

impl Scratch {
    fn new(tokens: usize, shape: Shape) -> Self {
        let rows = || vec![0.0; tokens * shape.width];
        Self {
            query: rows(),
            key: rows(),
            value: rows(),
            seen: rows(),
            inner: vec![0.0; tokens * shape.inner],
            strip: Strip::default(),
            room: Room::default(),
        }
    }
}

fn norm(file: &Container<'_>, name: &str) -> Result<Norm> {
    let width = file.shape.width;
    Ok(Norm {
        scale: file.floats(&format!("{name}.w"), width)?,
        shift: file.floats(&format!("{name}.b"), width)?,
        epsilon: file.shape.epsilon,
    })
}

#[expect(clippy::cast_precision_loss, reason = "a text has few tokens")]
fn mean(rows: &[f32], width: usize) -> Vec<f32> {
    let mut sum = vec![0.0; width];
    for row in rows.chunks_exact(width) {
        sum.iter_mut().zip(row).for_each(|(sum, number)| *sum += number);
    }
    let share = width as f32 / rows.len() as f32;
    for number in &mut sum {
        *number *= share;
    }
    sum
}
