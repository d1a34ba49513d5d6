//! Images made small enough for a model: the rules of it. Decoding and encoding are a port's.

use futures_util::future::LocalBoxFuture;
use vitrine_agent::signal::AbortSignal;

use crate::image::{MAX_BASE64, Size};

/// The longest side of an image that is shown.
pub const MAX_SIDE: u32 = 2000;
/// More pixels than this are not decoded: a few kilobytes may claim gigabytes.
const MAX_PIXELS: u64 = 100_000_000;
/// The quality of the JPEG that is weighed against a PNG.
const QUALITY: u8 = 80;
/// Qualities that are tried when both are too much.
const QUALITIES: [u8; 4] = [85, 70, 55, 40];

/// Decodes images. Knows no limits; what it is given is within those of [`fit`].
pub trait Images {
    /// The image in a file. `None` for bytes that it cannot decode. May be dropped before it is ready.
    fn decode(&self, bytes: &[u8], media_type: &str) -> LocalBoxFuture<'static, Option<Box<dyn Picture>>>;
}

/// A decoded image.
pub trait Picture {
    /// Its size, as it is looked at.
    fn size(&self) -> Size;

    /// The image at a size, as a file. `None` if that cannot be done.
    fn encode(&self, size: Size, format: Format) -> LocalBoxFuture<'_, Option<Vec<u8>>>;
}

/// What an image is encoded as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Without loss.
    Png,
    /// In a quality of up to 100.
    Jpeg(u8),
}

impl Format {
    /// What it is called.
    pub fn media_type(self) -> &'static str {
        match self {
            Self::Png => "image/png",
            Self::Jpeg(_) => "image/jpeg",
        }
    }
}

/// An image that a model can be shown.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Fitted {
    pub(crate) bytes: Vec<u8>,
    pub(crate) media_type: &'static str,
    pub(crate) original: Size,
    pub(crate) shown: Size,
}

/// Why there is no image to show, as the end of a sentence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum FitError {
    #[error("could not be decoded")]
    NotDecoded,
    #[error("could not be resized below the inline image size limit")]
    TooLarge,
}

/// Whether the limits let an image through as it is.
pub(crate) fn fits(size: Option<Size>, n_bytes: usize) -> bool {
    // Without a size there is nobody who could say that it is too large.
    let fits = size.is_none_or(|size| size.width <= MAX_SIDE && size.height <= MAX_SIDE);
    fits && is_light(n_bytes)
}

fn is_light(n_bytes: usize) -> bool {
    data_encoding::BASE64.encode_len(n_bytes) < MAX_BASE64
}

/// Makes an image small enough: no side over the limit, then the smaller of PNG and JPEG, then JPEG of less and less quality,
/// then the same with three quarters of each side. Ends early, with an error, when the run was ended.
pub(crate) async fn fit(
    images: &dyn Images,
    bytes: &[u8],
    media_type: &str,
    claimed: Option<Size>,
    signal: &AbortSignal,
) -> Result<Fitted, FitError> {
    if claimed.is_some_and(|size| u64::from(size.width) * u64::from(size.height) > MAX_PIXELS) {
        return Err(FitError::TooLarge);
    }
    let picture = images.decode(bytes, media_type).await.ok_or(FitError::NotDecoded)?;
    let original = picture.size();
    let mut shown = limited(original);
    while !signal.is_aborted() {
        let fitted = |bytes, format: Format| Fitted { bytes, media_type: format.media_type(), original, shown };
        let png = picture.encode(shown, Format::Png).await;
        let jpeg = picture.encode(shown, Format::Jpeg(QUALITY)).await;
        let smaller = match (png, jpeg) {
            (Some(png), Some(jpeg)) if jpeg.len() < png.len() => Some((jpeg, Format::Jpeg(QUALITY))),
            (Some(png), _) => Some((png, Format::Png)),
            (None, Some(jpeg)) => Some((jpeg, Format::Jpeg(QUALITY))),
            (None, None) => None,
        };
        let (bytes, format) = smaller.ok_or(FitError::NotDecoded)?;
        if is_light(bytes.len()) {
            return Ok(fitted(bytes, format));
        }
        for quality in QUALITIES {
            let jpeg = picture.encode(shown, Format::Jpeg(quality)).await.filter(|jpeg| is_light(jpeg.len()));
            if let Some(jpeg) = jpeg {
                return Ok(fitted(jpeg, Format::Jpeg(quality)));
            }
        }
        let next = Size { width: three_quarters(shown.width), height: three_quarters(shown.height) };
        if next == shown {
            break;
        }
        shown = next;
    }
    Err(FitError::TooLarge)
}

fn three_quarters(side: u32) -> u32 {
    (side / 4 * 3 + side % 4 * 3 / 4).max(1)
}

/// The largest size within the limits that has the same form: first by the width, then by the height.
fn limited(size: Size) -> Size {
    let Size { mut width, mut height } = size;
    if width > MAX_SIDE {
        (width, height) = (MAX_SIDE, scaled(height, MAX_SIDE, width));
    }
    if height > MAX_SIDE {
        (width, height) = (scaled(width, MAX_SIDE, height), MAX_SIDE);
    }
    Size { width: width.max(1), height: height.max(1) }
}

/// Rounded, a half up.
fn scaled(side: u32, by: u32, of: u32) -> u32 {
    let (side, by, of) = (u64::from(side), u64::from(by), u64::from(of.max(1)));
    u32::try_from((2 * side * by + of) / (2 * of)).unwrap_or(MAX_SIDE)
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::FutureExt as _;
    use futures_util::future::ready;
    use std::cell::RefCell;
    use std::rc::Rc;

    /// Encodes to as many bytes as the test says, and writes down what it was asked for.
    struct Fake {
        size: Size,
        n_bytes: fn(Size, Format) -> Option<usize>,
        asked: Rc<RefCell<Vec<(u32, u32, Format)>>>,
    }

    impl Picture for Fake {
        fn size(&self) -> Size {
            self.size
        }
        fn encode(&self, size: Size, format: Format) -> LocalBoxFuture<'_, Option<Vec<u8>>> {
            self.asked.borrow_mut().push((size.width, size.height, format));
            ready((self.n_bytes)(size, format).map(|n_bytes| vec![0; n_bytes])).boxed_local()
        }
    }

    struct Decoder(RefCell<Option<Fake>>);

    impl Images for Decoder {
        fn decode(&self, _: &[u8], _: &str) -> LocalBoxFuture<'static, Option<Box<dyn Picture>>> {
            let picture = self.0.take().map(|fake| Box::new(fake) as Box<dyn Picture>);
            ready(picture).boxed_local()
        }
    }

    type Outcome = Result<(&'static str, u32, u32), FitError>;

    fn run(size: (u32, u32), n_bytes: fn(Size, Format) -> Option<usize>) -> (Outcome, Vec<(u32, u32, Format)>) {
        let asked = Rc::default();
        let fake = Fake { size: Size { width: size.0, height: size.1 }, n_bytes, asked: Rc::clone(&asked) };
        let decoder = Decoder(RefCell::new(Some(fake)));
        let fitted = fit(&decoder, b"", "image/png", None, &AbortSignal::new()).now_or_never().unwrap();
        let outcome = fitted.map(|fitted| {
            assert_eq!((fitted.original.width, fitted.original.height), size);
            (fitted.media_type, fitted.shown.width, fitted.shown.height)
        });
        (outcome, asked.take())
    }

    #[test]
    fn no_side_is_over_the_limit_and_the_smaller_file_is_taken() {
        let light = |_: Size, format| Some(if format == Format::Png { 10 } else { 20 });
        for (size, shown) in [
            ((10, 10), (10, 10)),
            ((2000, 2000), (2000, 2000)),
            ((4000, 1000), (2000, 500)),
            ((1000, 4000), (500, 2000)),
            ((3000, 5000), (1200, 2000)),
            ((2001, 3), (2000, 3)),
            ((9_000_000, 1), (2000, 1)),
        ] {
            assert_eq!(run(size, light).0, Ok(("image/png", shown.0, shown.1)), "{size:?}");
        }
        let (outcome, asked) = run((8, 6), |_, format| Some(if format == Format::Png { 20 } else { 10 }));
        assert_eq!(outcome, Ok(("image/jpeg", 8, 6)));
        assert_eq!(asked, [(8, 6, Format::Png), (8, 6, Format::Jpeg(80))]);
    }

    #[test]
    fn quality_goes_first_and_then_the_size() {
        const HEAVY: usize = 4 << 20;
        let (outcome, asked) = run((100, 100), |_, format| Some(if format == Format::Jpeg(55) { 9 } else { HEAVY }));
        assert_eq!(outcome, Ok(("image/jpeg", 100, 100)));
        let formats: Vec<_> = asked.iter().map(|(_, _, format)| *format).collect();
        let jpeg = Format::Jpeg;
        assert_eq!(formats, [Format::Png, jpeg(80), jpeg(85), jpeg(70), jpeg(55)]);

        let (outcome, asked) = run((103, 10), |size, _| Some(if size.width > 60 { HEAVY } else { 9 }));
        assert_eq!(outcome, Ok(("image/png", 57, 5)));
        let sizes: Vec<_> = asked.iter().map(|(width, height, _)| (*width, *height)).step_by(6).collect();
        assert_eq!(sizes, [(103, 10), (77, 7), (57, 5)]);

        let (outcome, asked) = run((2000, 1), |_, _| Some(HEAVY));
        assert_eq!(
            (outcome, asked.last().map(|(width, height, _)| (*width, *height))),
            (Err(FitError::TooLarge), Some((1, 1)))
        );
        assert!(asked.len() < 200);
    }

    #[test]
    fn what_cannot_be_decoded_or_encoded_says_so_and_what_claims_too_much_is_not_tried() {
        let decoder = Decoder(RefCell::new(None));
        let signal = AbortSignal::new();
        let outcome = |claimed| fit(&decoder, b"", "image/gif", claimed, &signal).now_or_never().unwrap();
        assert_eq!(outcome(None), Err(FitError::NotDecoded));
        assert_eq!(outcome(Some(Size { width: 20_000, height: 20_000 })), Err(FitError::TooLarge));
        assert_eq!(run((5, 5), |_, _| None).0, Err(FitError::NotDecoded));
        assert_eq!(run((5, 5), |_, format| (format != Format::Png).then_some(3)).0, Ok(("image/jpeg", 5, 5)));
    }

    #[test]
    fn what_is_within_the_limits_is_left_as_it_is() {
        let size = |width, height| Some(Size { width, height });
        // The limit is of base64, which is four characters for three bytes, and itself too much.
        let most = MAX_BASE64 / 4 * 3;
        for (size, n_bytes, expected) in [
            (size(2000, 2000), 10, true),
            (size(2001, 1), 10, false),
            (size(1, 2001), 10, false),
            (None, 10, true),
            (size(1, 1), most - 3, true),
            (size(1, 1), most, false),
        ] {
            assert_eq!(fits(size, n_bytes), expected, "{size:?} {n_bytes}");
        }
    }
}
