//! Images decoded and encoded by the browser, in a worker: an `OffscreenCanvas` does both.

use futures_util::FutureExt as _;
use futures_util::future::LocalBoxFuture;
use js_sys::{Array, Uint8Array};
use vitrine_tools::{Format, Images, Picture, Size};
use wasm_bindgen::{JsCast as _, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{
    Blob, BlobPropertyBag, DedicatedWorkerGlobalScope, ImageBitmap, ImageEncodeOptions, OffscreenCanvas,
    OffscreenCanvasRenderingContext2d,
};

/// The browser's own decoders.
#[derive(Clone, Copy, Debug)]
pub struct Canvas;

impl Images for Canvas {
    fn decode(&self, bytes: &[u8], media_type: &str) -> LocalBoxFuture<'static, Option<Box<dyn Picture>>> {
        let options = BlobPropertyBag::new();
        options.set_type(media_type);
        let blob = Blob::new_with_u8_array_sequence_and_options(&Array::of1(&Uint8Array::from(bytes)), &options);
        async move {
            let scope: DedicatedWorkerGlobalScope = js_sys::global().dyn_into().ok()?;
            let bitmap = JsFuture::from(scope.create_image_bitmap_with_blob(&blob.ok()?).ok()?).await.ok()?;
            Some(Box::new(Bitmap(bitmap.dyn_into().ok()?)) as Box<dyn Picture>)
        }
        .boxed_local()
    }
}

/// Pixels, given back to the browser when dropped.
struct Bitmap(ImageBitmap);

impl Drop for Bitmap {
    fn drop(&mut self) {
        self.0.close();
    }
}

impl Picture for Bitmap {
    fn size(&self) -> Size {
        Size { width: self.0.width(), height: self.0.height() }
    }

    fn encode(&self, size: Size, format: Format) -> LocalBoxFuture<'_, Option<Vec<u8>>> {
        async move { self.encoded(size, format).await.ok().flatten() }.boxed_local()
    }
}

impl Bitmap {
    async fn encoded(&self, size: Size, format: Format) -> Result<Option<Vec<u8>>, JsValue> {
        let canvas = OffscreenCanvas::new(size.width, size.height)?;
        let Some(context) = canvas.get_context("2d")? else { return Ok(None) };
        let context: OffscreenCanvasRenderingContext2d = context.dyn_into()?;
        let (width, height) = (f64::from(size.width), f64::from(size.height));
        let options = ImageEncodeOptions::new();
        options.set_type(format.media_type());
        if let Format::Jpeg(quality) = format {
            options.set_quality(f64::from(quality) / 100.0);
            // It knows no transparency, and what is transparent would be black.
            context.set_fill_style_str("#fff");
            context.fill_rect(0.0, 0.0, width, height);
        }
        // In some browsers the default is the nearest pixel.
        js_sys::Reflect::set(&context, &"imageSmoothingQuality".into(), &"high".into())?;
        context.draw_image_with_image_bitmap_and_dw_and_dh(&self.0, 0.0, 0.0, width, height)?;
        let blob: Blob = JsFuture::from(canvas.convert_to_blob_with_options(&options)?).await?.dyn_into()?;
        // A type that it does not know becomes PNG.
        if blob.type_() != format.media_type() {
            return Ok(None);
        }
        let bytes = Uint8Array::new(&JsFuture::from(blob.array_buffer()).await?);
        Ok(Some(bytes.to_vec()))
    }
}
